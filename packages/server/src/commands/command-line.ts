/** The common part of the commands beside the platform: how they end, and what they take from the environment. */
import { type Config, readConfig, whyNoBackups } from '../config.ts';

/** A mistake of the operator, or a fact that the operator has to know; printed as it is. */
export class CommandRefused extends Error {
  override readonly name = 'Refusal';
}

/** One of the commands: what `freehold NAME` runs, and `npm run NAME`. */
export interface CliCommand {
  /** The text that is said before the reason when it cannot do its work. */
  readonly failure: string;
  /** Takes the words behind its name, and gives the code to end with; undefined where it goes on. */
  readonly run: (words: readonly string[]) => Promise<number | undefined>;
  /** Whether it goes on when the reader of its output closes the pipe. */
  readonly outlivesReader?: true;
}

/** Ends with the code that the command gives: 2, with a sentence, where it cannot do its work. */
export function runCommand(
  { failure, run, outlivesReader }: CliCommand,
  words: readonly string[] = process.argv.slice(2),
): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    if (outlivesReader !== true) process.exit(brokenPipe);
  });
  run(words).then(
    (code) => {
      if (code !== undefined) process.exitCode = code;
    },
    (error: unknown) => {
      const sentence = error instanceof Error ? error.message : String(error);
      const isUsage = error instanceof CommandRefused || (error instanceof TypeError && 'code' in error);
      process.stderr.write(`${isUsage ? '' : `${failure}: `}${sentence}\n`);
      process.exitCode = 2;
    },
  );
}

/** A shell's exit code for a program that SIGPIPE ended, because its reader, such as `head`, has seen enough. */
const brokenPipe = 141;

/** The settings of a platform started here, in the folder that is named. */
export function configFor(named: string | undefined): Config {
  const read = readConfig({ ...process.env, ...(named === undefined ? {} : { FREEHOLD_DATA_DIR: named }) });
  if ('mistakes' in read) throw new CommandRefused(read.mistakes.join('\n'));
  return read.config;
}

/** The folder that is named, or that a platform started here would have. */
export function dataFolder(named: string | undefined): string {
  const config = configFor(named);
  const why = whyNoBackups(config);
  if (why !== undefined) throw new CommandRefused(why);
  return config.dataDir;
}

/**
 * The environment of a command that the platform runs by itself, whose words say all that it needs: it gets no key of the
 * platform, and follows no npm.
 */
export function commandEnvironment(): NodeJS.ProcessEnv {
  const left = Object.entries(process.env).filter(
    ([name]) => !/^(?:FREEHOLD_(?!TEST_)|npm_)/.test(name) && name !== 'NODE_CHANNEL_FD',
  );
  return Object.fromEntries(left);
}

/** The key that opens and seals the secrets of a store that holds them itself, where they are sealed. */
export function masterKeyFor(address: string): Config['masterKey'] {
  const read = readConfig({ FREEHOLD_STORE: address, FREEHOLD_MASTER_KEY: process.env.FREEHOLD_MASTER_KEY });
  if ('mistakes' in read) throw new CommandRefused(read.mistakes.join('\n'));
  return read.config.masterKey;
}

/** A value that must not appear in a list of processes is given by the name of a variable: `env:NAME`. */
export function textOrVariable(text: string): string {
  const name = /^env:(\w+)$/.exec(text)?.[1];
  if (name === undefined) return text;
  const value = process.env[name];
  if (value === undefined || value === '') throw new CommandRefused(`\`${name}\` is not set`);
  return value;
}

/** The address and the operator key of a running platform. */
function operatorSettings(): { readonly operatorKey: string; readonly managementUrl: string } {
  const {
    FREEHOLD_OPERATOR_KEY: operatorKey,
    FREEHOLD_MANAGEMENT_URL: url,
    FREEHOLD_MANAGEMENT_PORT: port,
  } = process.env;
  if (!operatorKey)
    throw new CommandRefused('FREEHOLD_OPERATOR_KEY is not set: set it to the key that the platform was started with');
  return { operatorKey, managementUrl: url || `http://127.0.0.1:${port || '4001'}` };
}

export interface OperatorCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
}

/** Calls the platform, and prints the answer as `formatReply` formats it. @returns the code to end with. */
export async function askOperator(
  { method, path, body }: OperatorCall,
  url: string | undefined,
  formatReply: (text: string) => string,
): Promise<number> {
  const { operatorKey, managementUrl } = operatorSettings();
  const base = url ?? managementUrl;
  const headers = { authorization: `Bearer ${operatorKey}`, 'content-type': 'application/json' };
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await fetch(base.replace(/\/+$/, '') + path, { method, headers, ...sent }).catch(
    refuseUnreached(base),
  );
  const text = await response.text();
  if (response.ok) process.stdout.write(formatReply(text));
  else process.stderr.write(`${refusal(response.status, text)}\n`);
  return response.ok ? 0 : 1;
}

function refuseUnreached(url: string): (error: unknown) => never {
  return (error) => {
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    const reason = cause instanceof Error && cause.message !== '' ? cause.message : String(cause);
    throw new CommandRefused(
      `no platform can be reached at ${url} (${reason}): start it, or name its management gateway by --url, ` +
        'FREEHOLD_MANAGEMENT_URL or FREEHOLD_MANAGEMENT_PORT',
    );
  };
}

/** Another program may answer in place of the platform. */
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
