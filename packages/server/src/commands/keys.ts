/** Shows, rotates and revokes the token signing keys of a running platform, over its management gateway. */
import { parseArgs } from 'node:util';
import { askOperator, type CliCommand, CommandRefused, type OperatorCall, runCommand } from './command-line.ts';

const help = `Shows, rotates and revokes the keys that sign app tokens. The platform must be running.

  freehold keys list                 the keys, and the state of each
  freehold keys rotate               publishes a new key, which signs ten minutes later; no token ends
  freehold keys revoke <kid>         ends every token that the key has signed, at once

  --url http://127.0.0.1:4001        the management gateway; FREEHOLD_MANAGEMENT_URL and _PORT name it too

FREEHOLD_OPERATOR_KEY holds the key that the platform was started with.
Ends with 0 if it succeeded, 1 if the platform refused, and 2 if the platform could not be reached.
`;

interface ShownKey {
  readonly kid: string;
  readonly state: string;
  readonly created_at: string;
  readonly signs_from: string;
  readonly verifies_until?: string;
}

async function run(given: readonly string[]): Promise<number> {
  const words = [...given];
  const at = words.indexOf('revoke');
  // The id of a key may begin with a dash, as options do.
  const revoked = at === -1 ? [] : words.splice(at, 2);
  const options = { url: { type: 'string' }, help: { type: 'boolean' } } as const;
  const { values, positionals } = parseArgs({ args: words, options, allowPositionals: true });
  const command = [...positionals, ...revoked];
  if (values.help === true || command.length === 0) {
    process.stdout.write(help);
    return 0;
  }
  const call = callOf(command);
  if (call === undefined)
    throw new CommandRefused(`\`${command.join(' ')}\` is not \`list\`, \`rotate\` or \`revoke <kid>\`: see --help`);
  return askOperator(call, values.url, (text) => formatReply(call, text));
}

function callOf([command, kid, ...more]: readonly string[]): OperatorCall | undefined {
  if (command === 'revoke' && /^[\w-]{43}$/.test(kid ?? '') && more.length === 0)
    return { method: 'DELETE', path: `/platform/keys/${kid}` };
  if (kid !== undefined) return undefined;
  if (command === 'list') return { method: 'GET', path: '/platform/keys' };
  return command === 'rotate' ? { method: 'POST', path: '/platform/keys/rotate' } : undefined;
}

function formatReply({ method }: OperatorCall, text: string): string {
  if (method === 'DELETE') return 'revoked: no token that it signed is accepted any more\n';
  if (method === 'GET') return (JSON.parse(text) as { readonly items: readonly ShownKey[] }).items.map(line).join('');
  return line(JSON.parse(text) as ShownKey);
}

function line({ kid, state, signs_from, verifies_until }: ShownKey): string {
  const until = verifies_until === undefined ? '' : `  verifies until ${verifies_until}`;
  return `${kid}  ${state.padEnd('published'.length)}  signs from ${signs_from}${until}\n`;
}

export const keys: CliCommand = { failure: 'the platform could not be reached', run };

if (import.meta.main) runCommand(keys);
