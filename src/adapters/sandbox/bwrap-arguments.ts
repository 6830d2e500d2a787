import path from "node:path";
import type { RoomFolders } from "./room-folders.ts";
import { ROOM_USER } from "./room-folders.ts";

/** Where the private folders of a room are seen inside. */
export interface Inside {
  readonly home: string;
  readonly tmp: string;
  readonly scripts: string;
}

export interface RoomView {
  readonly tree: string;
  readonly folders: RoomFolders;
  readonly inside: Inside;
  /** Outside the system's folders, read-only at their own place. */
  readonly binds: readonly string[];
  /** The room's own copies of folders within `binds`. */
  readonly copies: readonly { readonly ours: string; readonly seenAs: string }[];
  /** Made by `shieldsOf`. */
  readonly shields: readonly string[];
  /** The root's own folders: links as links, folders as folders. */
  readonly system: readonly SystemFolder[];
  readonly disableUserns: boolean;
}

export interface SystemFolder {
  readonly name: string;
  /** What it links to, or null when it is a folder. */
  readonly link: string | null;
}

export interface InsideCommand {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Keeps the network namespace bwrap is started in, instead of an empty one. */
  readonly sharedNetwork: boolean;
  /** A socket outside, to be seen at `DOOR`; null for none. */
  readonly door: string | null;
}

/** Where a command sees the socket that was opened for it. */
export const DOOR = "/run/door";

// Docker's default of 64 MiB is known to break browsers and parallel test runners; memory is bounded elsewhere.
const SHM_BYTES = 512 * 1024 * 1024;

// Parts of /etc that programs look for and that hold nothing private. Never /etc/ssl/private.
const ETC_SHOWN = [
  "alternatives",
  "ca-certificates.conf",
  "fonts",
  "java-8-openjdk",
  "java-11-openjdk",
  "java-17-openjdk",
  "java-21-openjdk",
  "java-25-openjdk",
  "ld.so.cache",
  "ld.so.conf",
  "ld.so.conf.d",
  "localtime",
  "magic",
  "mime.types",
  "os-release",
  "pki/ca-trust",
  "pki/tls/certs",
  "pki/tls/cert.pem",
  "protocols",
  "python3",
  "python3.11",
  "services",
  "ssl/certs",
  "ssl/openssl.cnf",
  "timezone",
];

const VAR_TMP = "/var/tmp";

const ETC_OURS = ["hosts", "nsswitch.conf", "passwd", "group"];

/** The words after `bwrap` that make one command's view of the world. */
export function bwrapArguments(view: RoomView, command: InsideCommand): string[] {
  const { folders, inside, tree } = view;
  const etc = command.sharedNetwork ? [...ETC_OURS, "resolv.conf"] : ETC_OURS;
  return [
    "--unshare-all",
    ...(command.sharedNetwork ? ["--share-net"] : []),
    "--unshare-user",
    // Says when the room stood, which tells a failing command from a room that could not be made.
    ...["--json-status-fd", "3"],
    ...(view.disableUserns ? ["--disable-userns"] : []),
    ...["--die-with-parent", "--new-session", "--cap-drop", "ALL", "--hostname", "sandbox"],
    ...["--uid", String(ROOM_USER.id), "--gid", String(ROOM_USER.id)],
    ...["--ro-bind", "/usr", "/usr"],
    ...view.system.flatMap(({ name, link }) => (link === null ? ["--ro-bind", name, name] : ["--symlink", link, name])),
    ...ETC_SHOWN.flatMap((name) => ["--ro-bind-try", `/etc/${name}`, `/etc/${name}`]),
    // Files of ours, bound: the same as bind data, without a file descriptor for each to carry through the launchers.
    ...etc.flatMap((name) => ["--ro-bind", path.join(folders.etc, name), `/etc/${name}`]),
    ...["--proc", "/proc", "--dev", "/dev", "--size", String(SHM_BYTES), "--perms", "1777", "--tmpfs", "/dev/shm"],
    ...["--bind", folders.tmp, inside.tmp, "--bind", folders.tmp, VAR_TMP, "--bind", folders.home, inside.home],
    ...view.shields.flatMap((shield) => ["--tmpfs", shield]),
    ...view.binds.flatMap((bind) => ["--ro-bind", bind, bind]),
    ...view.copies.flatMap(({ ours, seenAs }) => ["--bind", ours, seenAs]),
    ...["--ro-bind", folders.scripts, inside.scripts],
    ...(command.door === null ? [] : ["--bind", command.door, DOOR]),
    ...["--bind", tree, tree],
    // bwrap's own root and /dev are file systems in memory that could be filled.
    ...[...view.shields, "/dev", "/"].flatMap((mount) => ["--remount-ro", mount]),
    ...["--clearenv", ...Object.entries(command.env).flatMap(([name, value]) => ["--setenv", name, value])],
    ...["--chdir", command.cwd, "--", ...command.argv],
  ];
}

/**
 * The first step on the way to what is mounted below HOME or TMP. A command may write there, so a later command's mount
 * could be led astray by a link put in the way; a folder that is itself a mount can be neither moved nor replaced.
 */
export function shieldsOf(mounts: readonly string[], inside: Pick<Inside, "home" | "tmp">): string[] {
  const shields = new Set<string>();
  for (const mount of mounts) {
    const first = firstStep(mount, inside);
    if (first !== null && first !== mount) shields.add(first);
  }
  return [...shields];
}

/** The folder right below HOME or TMP that `mount` is, or lies in; null when it lies in neither. */
export function firstStep(mount: string, inside: Pick<Inside, "home" | "tmp">): string | null {
  const above = [inside.home, inside.tmp, VAR_TMP].find((folder) => mount.startsWith(`${folder}/`));
  if (above === undefined) return null;
  return path.join(above, mount.slice(above.length + 1).split("/")[0] ?? "");
}
