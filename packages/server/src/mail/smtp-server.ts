/** The server that mails are handed to. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte on (`smtps:`), and not only once the server has offered it. */
  readonly isSecure: boolean;
  readonly credentials: { readonly user: string; readonly pass: string } | undefined;
}

/** Ports of message submission (RFC 8314, 7.3). */
const ports = { 'smtp:': 587, 'smtps:': 465 } as const;

/** Reads `smtp[s]://[user:password@]host[:port]`; undefined for anything else. */
export function readSmtpServer(text: string): SmtpServer | undefined {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'smtp:' && url.protocol !== 'smtps:')) return undefined;
  const { username, password, hostname, pathname, port } = url;
  const hasMore = /[?#]/.test(text) || !['', '/'].includes(pathname);
  if (hostname === '' || hasMore || (username === '') !== (password === '')) return undefined;
  const [user, pass] = [decoded(username), decoded(password)];
  if (user === undefined || pass === undefined) return undefined;
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? ports[url.protocol] : Number(port),
    isSecure: url.protocol === 'smtps:',
    credentials: user === '' ? undefined : { user, pass },
  };
}

/** Whether what is sent there leaves the machine. */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}
