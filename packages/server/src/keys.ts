/** Shows, rotates and revokes the token signing keys of a running platform, over its management gateway. */
import { parseArgs } from 'node:util';
import { type Command, runCommand } from './command-line.ts';

const help = `Shows, rotates and revokes the keys that app tokens are signed by. The platform must be running.

  freehold keys list                 what there is, and what each key does
  freehold keys rotate               publishes a new key, which signs ten minutes later; no token ends
  freehold keys revoke <kid>         ends every token that the key has signed, at once

  --url http://127.0.0.1:4001        the management gateway; FREEHOLD_MANAGEMENT_URL names it too

FREEHOLD_OPERATOR_KEY holds the key that the platform was started with.
Ends with 0 where it is done, 1 where the platform refused, and 2 where it could not be asked.
`;

interface Asked {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly url: string;
  readonly operatorKey: string;
}

interface ShownKey {
  readonly kid: string;
  readonly state: string;
  readonly created_at: string;
  readonly signs_from: string;
  readonly verifies_until?: string;
}

async function run(given: readonly string[]): Promise<number> {
  const asked = readArguments(given);
  if (asked === 'help') {
    process.stdout.write(help);
    return 0;
  }
  if (typeof asked === 'string') return refuse(asked, 2);
  const { method, path, url, operatorKey } = asked;
  const response = await fetch(url + path, { method, headers: { authorization: `Bearer ${operatorKey}` } });
  const text = await response.text();
  if (!response.ok) return refuse(refusal(response.status, text), 1);
  process.stdout.write(told(asked, text));
  return 0;
}

/** What to ask, or a sentence about what is wrong with the words. */
function readArguments(given: readonly string[]): Asked | string {
  const words = [...given];
  const at = words.indexOf('revoke');
  // The id of a key may begin with a dash, as options do.
  const revoked = at === -1 ? [] : words.splice(at, 2);
  const options = { url: { type: 'string' }, help: { type: 'boolean' } } as const;
  const { values, positionals } = parseArgs({ args: words, options, allowPositionals: true });
  const command = [...positionals, ...revoked];
  if (values.help === true || command.length === 0) return 'help';
  const call = callOf(command);
  if (call === undefined) return `\`${command.join(' ')}\` is not \`list\`, \`rotate\` or \`revoke <kid>\`: see --help`;
  const operatorKey = process.env.FREEHOLD_OPERATOR_KEY ?? '';
  if (operatorKey === '') return 'FREEHOLD_OPERATOR_KEY is not set: it is the key that the platform was started with';
  const url = values.url ?? process.env.FREEHOLD_MANAGEMENT_URL ?? 'http://127.0.0.1:4001';
  return { ...call, url: url.replace(/\/+$/, ''), operatorKey };
}

function callOf([command, kid, ...more]: readonly string[]): Pick<Asked, 'method' | 'path'> | undefined {
  if (command === 'revoke' && /^[\w-]{43}$/.test(kid ?? '') && more.length === 0)
    return { method: 'DELETE', path: `/platform/keys/${kid}` };
  if (kid !== undefined) return undefined;
  if (command === 'list') return { method: 'GET', path: '/platform/keys' };
  return command === 'rotate' ? { method: 'POST', path: '/platform/keys/rotate' } : undefined;
}

function told({ method }: Asked, text: string): string {
  if (method === 'DELETE') return 'revoked: no token that it signed is taken any more\n';
  if (method === 'GET') return (JSON.parse(text) as { readonly items: readonly ShownKey[] }).items.map(line).join('');
  return line(JSON.parse(text) as ShownKey);
}

function line({ kid, state, signs_from, verifies_until }: ShownKey): string {
  const until = verifies_until === undefined ? '' : `  verifies until ${verifies_until}`;
  return `${kid}  ${state.padEnd('published'.length)}  signs from ${signs_from}${until}\n`;
}

/** Whatever answers in place of the platform need not speak its language. */
function refusal(status: number, text: string): string {
  const hint = status === 404 ? ' (a platform without FREEHOLD_OPERATOR_KEY has no such routes)' : '';
  try {
    const { detail } = JSON.parse(text) as { readonly detail?: unknown };
    if (typeof detail === 'string') return `the platform answers ${status}: ${detail}${hint}`;
  } catch {
    // Told by its status alone.
  }
  return `the platform answers ${status}${hint}`;
}

function refuse(sentence: string, code: number): number {
  process.stderr.write(`${sentence}\n`);
  return code;
}

/** Whoever cannot be reached is told of by the cause alone. */
function tellWhy(error: unknown): number {
  const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : '';
  return refuse(`${error instanceof Error ? error.message : String(error)}${cause}`, 2);
}

export const keys: Command = {
  failure: 'the platform could not be asked',
  run: (words) => run(words).catch(tellWhy),
};

if (import.meta.main) runCommand(keys);
