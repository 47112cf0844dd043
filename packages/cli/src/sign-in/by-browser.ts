import { spawn } from 'node:child_process';
import { hash, randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { text } from 'node:stream/consumers';
import { CommandError } from '../frame/command-error.ts';
import type { Context } from '../frame/context.ts';
import { connect } from '../management/connect.ts';
import type { Profile } from '../profiles/profile-store.ts';
import { listenForCode } from './loopback.ts';
import type { SignInPlace } from './sign-in.ts';

/** Opens the console, where a signed-in builder allows this command, and takes the code that comes back to this machine. */
export async function signInByBrowser(context: Context, place: SignInPlace): Promise<Profile> {
  assertShown(context);
  const { verifier, challenge, state } = newSecrets();
  const loopback = await listenForCode(state);
  try {
    const address = consoleAddress(place, { challenge, state, port: String(loopback.port) });
    context.out.note('Allow the sign-in in your browser. If none opens, open this address on this machine:');
    context.out.note(address);
    openBrowser(address, context.env);
    return await exchange(place, await loopback.code, verifier);
  } finally {
    loopback.close();
  }
}

/** The same for a machine without a browser: the address is opened elsewhere, and the code is pasted. */
export async function signInByPastedCode(context: Context, place: SignInPlace): Promise<Profile> {
  assertShown(context);
  const { verifier, challenge, state } = newSecrets();
  context.out.note('Open this address in a browser, allow the sign-in, and paste the code that it shows:');
  context.out.note(consoleAddress(place, { challenge, state }));
  const typed = context.stdin.isTTY === true ? context.ask.password('Code') : text(context.stdin);
  return exchange(place, (await typed).trim(), verifier);
}

interface Secrets {
  readonly verifier: string;
  readonly challenge: string;
  readonly state: string;
}

/** The verifier stays here (RFC 7636, S256): a code alone, read on its way, opens nothing. */
function newSecrets(): Secrets {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: hash('sha256', verifier, 'base64url'), state: randomBytes(32).toString('base64url') };
}

function consoleAddress({ url, org }: SignInPlace, request: Readonly<Record<string, string>>): string {
  const name = hostname()
    .replace(/[^\w.-]/g, '-')
    .slice(0, 64);
  const search = new URLSearchParams({ ...request, name, ...(org === undefined ? {} : { org }) });
  return `${url}/cli-login?${search}`;
}

async function exchange({ url, org, appUrl }: SignInPlace, code: string, verifier: string): Promise<Profile> {
  if (code === '') throw new CommandError('there is no code', { code: 'wrong_usage' });
  const reply = await connect({ url }).call('signInCommand', {
    body: { code, verifier, ...(org === undefined ? {} : { org }) },
  });
  if (reply.token === undefined) throw new CommandError('the platform gave no token', { code: 'no_platform' });
  return {
    url,
    org: reply.org.code,
    kind: 'session',
    token: reply.token,
    email: reply.user.email,
    expiresAt: reply.expires_at,
    ...(appUrl === undefined ? {} : { appUrl }),
  };
}

/** A browser that cannot be started is no failure: the address is shown. */
function openBrowser(address: string, env: Context['env']): void {
  const [program, ...words] = browserCommand(env);
  const child = spawn(program, [...words, address], { stdio: 'ignore', detached: true });
  child.once('error', () => undefined);
  child.unref();
}

function browserCommand({ BROWSER }: Context['env']): readonly [string, ...string[]] {
  if (BROWSER !== undefined && BROWSER !== '') return [BROWSER];
  if (process.platform === 'darwin') return ['open'];
  if (process.platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  return ['xdg-open'];
}

function assertShown({ out }: Context): void {
  if (out.isJson)
    throw new CommandError('with `--json` no address can be shown to sign in at', {
      code: 'wrong_usage',
      next: 'sign in without `--json`, or with `--key-stdin`',
    });
}
