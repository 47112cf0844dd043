import { connect } from 'node:net';
import { type Finding, fault, good, reasonOf } from './finding.ts';

const patience = 5000;

/** Whether a mail server takes connections. Nothing is said to it. */
export function checkMailServer({ host, port }: { readonly host: string; readonly port: number }): Promise<Finding> {
  const place = `the mail server ${host}:${port}`;
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: patience });
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
    const reply = await fetch(url, { signal: AbortSignal.timeout(patience), redirect: 'error' });
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
