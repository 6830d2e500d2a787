# Found on PYTHONPATH before the program. Defines what the probes call; writes one file for each test.
import builtins
import json
import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(_HERE, "settings.json"), encoding="utf-8") as _file:
    _SETTINGS = json.load(_file)
_TESTS = {}
_MOST_TESTS = 200
_PLAIN = (bool, int, float, complex, str, bytes, type(None))
_OPEN, _WRITE = os.open, os.write
_FLAGS = os.O_CREAT | os.O_APPEND | os.O_WRONLY


def _show(value, depth=2):
    # No __repr__ of the repository: it could do anything.
    kind = type(value)
    if kind in _PLAIN:
        return repr(value[:100] if kind in (str, bytes) else value)
    if depth == 0:
        return "<%s>" % kind.__name__
    if kind in (list, tuple, set, frozenset):
        inner = ", ".join([_show(one, depth - 1) for one in list(value)[:20]])
        return {list: "[%s]", tuple: "(%s)", set: "{%s}", frozenset: "frozenset(%s)"}[kind] % inner
    if kind is dict:
        return "{%s}" % ", ".join(["%s: %s" % (_show(k, 0), _show(v, depth - 1)) for k, v in list(value.items())[:20]])
    module = (getattr(kind, "__module__", "") or "").split(".")[0]
    if module in getattr(sys, "stdlib_module_names", ()) or module in ("numpy", "pandas"):
        return repr(value)
    try:
        fields = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return "<%s>" % kind.__name__
    inner = ", ".join(["%s=%s" % (k, _show(v, depth - 1)) for k, v in list(fields.items())[:20]])
    return "<%s %s>" % (kind.__name__, inner)


def _test():
    current = os.environ.get("PYTEST_CURRENT_TEST")
    if current:
        return current.rsplit(" (", 1)[0]
    frame = sys._getframe(2)
    while frame is not None:
        name = frame.f_code.co_name
        if name.startswith("test"):
            owner = frame.f_locals.get("self")
            kind = type(owner).__name__ + "." if owner is not None else ""
            return "%s.%s%s" % (frame.f_globals.get("__name__", ""), kind, name)
        frame = frame.f_back
    return ""


def _log(test):
    log = _TESTS.get(test)
    if log is None and len(_TESTS) < _MOST_TESTS:
        name = "%d-%d" % (os.getpid(), len(_TESTS))
        path = os.path.join(_SETTINGS["dir"], name)
        log = _TESTS[test] = {"file": _OPEN(path + ".log", _FLAGS), "first": _OPEN(path + ".first", _FLAGS), "seen": set(), "bytes": 0}
        names = _OPEN(os.path.join(_SETTINGS["dir"], "names"), _FLAGS)
        _WRITE(names, ("%s\t%s\n" % (name, " ".join(test.split()))).encode("utf-8", "replace"))
        os.close(names)
    return log


def _probe(name, read=None):
    try:
        log = _log(_test())
        if log is None or log["bytes"] > _SETTINGS["limitBytes"]:
            return
        label = _SETTINGS["labels"].get(name, name)
        shown = "" if read is None else " = " + " ".join(_show(read()).split())[:120]
        line = ("%s%s\n" % (label, shown)).encode("utf-8", "replace")
        log["bytes"] += _WRITE(log["file"], line)
        if name not in log["seen"]:
            log["seen"].add(name)
            _WRITE(log["first"], line)
    except Exception:
        pass


builtins.retrace_probe_ = _probe


def _next():
    # Ours hides the one of the machine or the environment.
    import importlib.machinery

    rest = [place for place in sys.path if os.path.abspath(place or ".") != _HERE]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", rest)
    if spec is not None and spec.loader is not None:
        import importlib.util

        spec.loader.exec_module(importlib.util.module_from_spec(spec))


try:
    _next()
except Exception:
    pass
