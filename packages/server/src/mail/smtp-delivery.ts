import { createTransport } from 'nodemailer';
import type { Deliver } from './mail-queue.ts';
import { isLoopbackHost, type SmtpServer } from './smtp-server.ts';

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
