// Words of Go, Rust, JVM and curl clients for a peer that was away, slow or overloaded; a peer that says no (404, 401) is no trouble of the net.
const TROUBLE =
  /\b(?:i\/o timeout|TLS handshake timeout|context deadline exceeded|connection (?:refused|reset|timed out)|(?:connect|read) timed out|connect(?:ion)? timeout|timeout was reached|operation timed out|no such host|network is unreachable|temporary failure in name resolution|could not resolve host(?:name)?|unknown host|UnknownHostException|SocketTimeoutException|SSLHandshakeException|SSL connect error|SSL_ERROR_SYSCALL|unexpected EOF|remote host terminated the handshake|premature end of (?:content|chunk|file)|spurious network error|status code:? (?:429|50[0234])|HTTP (?:response|status) code(?: is|:)? (?:429|50[0234])|(?:429|50[0234]) (?:too many requests|internal server error|bad gateway|service unavailable|gateway time-?out)|server returned HTTP (?:response code: )?50[0234])\b/i;

/** Whether a text blames the network or the other end of it: nothing the repository could mend. */
export function isNetworkTrouble(text: string): boolean {
  return TROUBLE.test(text);
}
