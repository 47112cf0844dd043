import { connect, createServer } from 'node:net';
import { type Finding, fault, good, note, reasonOf } from './finding.ts';

interface PortToCheck {
  readonly host: string;
  readonly port: number;
  /** The setting that says which port it is. */
  readonly setting: string;
}

/** Whether a platform that starts now could listen there. */
export async function checkPort({ host, port, setting }: PortToCheck): Promise<Finding> {
  const place = `port ${port} on ${host}`;
  const reason = await whyNot(host, port);
  if (reason === undefined) return good(`${place} is free`);
  if (reason === 'EADDRINUSE' && (await isPlatform(host, port)))
    return note(`${place} is taken by a platform that answers: end it before another one is started there`);
  if (reason === 'EADDRINUSE')
    return fault(`${place} is taken by another program: end that one, or set ${setting} to a free port`);
  if (reason === 'EACCES')
    return fault(`${place} is not for this user: set ${setting} to a port above 1023 and put a proxy in front`);
  if (reason === 'EADDRNOTAVAIL')
    return fault(
      `${host} is no address of this machine: set FREEHOLD_HOST, or the address in ${setting}, to one that is`,
    );
  return fault(`${place} cannot be used (${reason}): set ${setting} or FREEHOLD_HOST otherwise`);
}

function whyNot(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error) => resolve(reasonOf(error)));
    server.listen(port, host, () => server.close(() => resolve(undefined)));
  });
}

async function isPlatform(host: string, port: number): Promise<boolean> {
  const shown = host.includes(':') ? `[${host}]` : host;
  try {
    const reply = await fetch(`http://${shown}:${port}/healthz`, { signal: AbortSignal.timeout(patience) });
    return reply.headers.has('x-request-id') && (await reply.text()) === '{"status":"ok"}';
  } catch {
    return false;
  }
}

const patience = 3000;

const reachPatience = 5000;

/** Whether a mail server takes connections. Nothing is said to it. */
export function checkMailServer({ host, port }: { readonly host: string; readonly port: number }): Promise<Finding> {
  const place = `the mail server ${host}:${port}`;
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: reachPatience });
    const end = (finding: Finding): void => {
      socket.destroy();
      resolve(finding);
    };
    const advice = 'set FREEHOLD_SMTP_URL right, or open the way to it';
    socket.once('connect', () => end(good(`${place} takes connections`)));
    socket.once('timeout', () => end(fault(`${place} does not answer: ${advice}`)));
    socket.once('error', (error) => end(fault(`${place} cannot be reached (${reasonOf(error)}): ${advice}`)));
  });
}

/** Whether an issuer of identity tokens says who it is (OpenID Connect Discovery 1.0, 4). */
export async function checkIssuer(issuer: string): Promise<Finding> {
  const advice = 'see to its address as it stands in the setting `auth.issuers`, to its certificate and to the way out';
  try {
    const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
    const reply = await fetch(url, { signal: AbortSignal.timeout(reachPatience), redirect: 'error' });
    if (!reply.ok) return fault(`the issuer \`${issuer}\` answers ${reply.status}: ${advice}`);
    const document = (await reply.json()) as { readonly issuer?: unknown; readonly jwks_uri?: unknown };
    if (document.issuer !== issuer)
      return fault(`the issuer \`${issuer}\` calls itself \`${document.issuer}\`: put that into \`auth.issuers\``);
    if (typeof document.jwks_uri !== 'string') return fault(`the issuer \`${issuer}\` names no keys: ${advice}`);
    return good(`the issuer \`${issuer}\` answers`);
  } catch (error) {
    return fault(`the issuer \`${issuer}\` cannot be asked (${reasonOf(error)}): ${advice}`);
  }
}
