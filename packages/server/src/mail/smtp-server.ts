import { createTransport } from 'nodemailer';
import type { Deliver } from './mailer.ts';

/** The server that mails are handed to. */
interface SmtpServer {
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

export interface SmtpSettings extends SmtpServer {
  /** The address that mails come from. */
  readonly from: string;
}

/** Credentials go over TLS alone, or stay on this machine. */
export function createSmtpDelivery({ host, port, isSecure, credentials, from }: SmtpSettings): Deliver {
  const transport = createTransport({
    host,
    port,
    secure: isSecure,
    requireTLS: credentials !== undefined && !isSecure && !isLoopbackHost(host),
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 30_000,
    disableFileAccess: true,
    disableUrlAccess: true,
    ...(credentials === undefined ? {} : { auth: credentials }),
  });
  return async ({ to, ...content }, id) => {
    // As an object an address is taken as it is, and never for a list of them.
    const addresses = { from: { name: '', address: from }, to: { name: '', address: to } };
    await transport.sendMail({ ...addresses, ...content, ...(id === undefined ? {} : { messageId: `<${id}>` }) });
  };
}
