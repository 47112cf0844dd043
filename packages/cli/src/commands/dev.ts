import { join, relative, resolve } from 'node:path';
import { keepProfile } from '../dev/dev-profile.ts';
import { devRound, type Seeding } from '../dev/dev-round.ts';
import { type DevState, freePort, newState, openFolder, readState, writeState } from '../dev/dev-state.ts';
import { createRounds } from '../dev/rounds.ts';
import { type StartedPlatform, startChild } from '../dev/start-child.ts';
import { watchFolders } from '../dev/watch-folders.ts';
import { createPrompt } from '../frame/ask.ts';
import { CommandError, type ExitCode, exitCodes } from '../frame/command-error.ts';
import type { AddCommands, Context } from '../frame/context.ts';
import { type Interrupts, untilInterrupted } from '../frame/interrupts.ts';
import { connect } from '../management/connect.ts';
import { hasCode } from '../management/known-error.ts';
import type { Target } from '../profiles/target.ts';

interface DevOptions {
  readonly port: string;
  readonly managementPort: string;
  readonly types: string | false;
  readonly console: boolean;
  readonly workspace?: string;
}

/** `dev`: a platform for one builder, which follows the files of the project. */
export const addDevCommand: AddCommands = (program, run) => {
  program
    .command('dev')
    .description('runs a platform for development with the seeds, and keeps it and the types as the files say')
    .option('--port <port>', 'port of the app gateway (default: that of the last start, or a free one)', '0')
    .option('--management-port <port>', 'port of the management gateway (default: likewise)', '0')
    .option('--types <path>', 'file of the types, in the project', 'freehold.d.ts')
    .option('--no-types', 'writes no types')
    .option('--no-console', 'serves no console')
    .option('--workspace <code>', 'workspace of the seeds that name none (default: the only one)')
    .action(run<DevOptions, []>((context, options) => dev(context, options)));
};

/** A session lasts for hours, and the command may run for days. */
const renewalMilliseconds = 3_600_000;

async function dev(context: Context, options: DevOptions): Promise<ExitCode> {
  if (context.env.FREEHOLD_MODE === 'production' || context.env.NODE_ENV === 'production')
    throw new CommandError('`freehold dev` is for development, and this is an environment of production', {
      code: 'wrong_usage',
      next: 'run the platform with `freehold start`',
    });
  const interrupts = untilInterrupted();
  const project = context.projectIfAny();
  const root = project?.root ?? context.cwd;
  const folder = join(root, '.freehold');
  openFolder(folder);
  const kept = readState(folder);
  const state = kept ?? newState(project?.main.org ?? 'dev');
  const platform = await startChild({
    launcher: context.launcher,
    dataDir: join(folder, 'data'),
    appPort: portOf(options.port) || (await freePort(state.appPort)),
    managementPort: portOf(options.managementPort) || (await freePort(state.managementPort)),
    hasConsole: options.console,
    env: context.env,
    log: (line) => context.out.note(line),
  });
  try {
    if (interrupts.isOver()) return exitCodes.done;
    const signedIn = { target: await signIn(platform, state) };
    const renew = async () => {
      const left = Date.parse(signedIn.target.expiresAt ?? '') - Date.now();
      if (left > renewalMilliseconds) return;
      signedIn.target = await signIn(platform, state);
      keepProfile(context, root, signedIn.target);
    };
    keepProfile(context, root, signedIn.target);
    const ports = { appPort: portOfUrl(platform.app), managementPort: portOfUrl(platform.management) };
    const seeding = keepSeeding(folder, { ...state, ...ports });
    await work(
      { context, options, root, config: project?.config ?? join(root, 'config'), signedIn, seeding, renew },
      interrupts,
      platform,
    );
  } finally {
    await platform.stop();
  }
  if (interrupts.isOver()) return exitCodes.done;
  throw new CommandError('the platform has ended', { code: 'platform_failed', next: 'its log is above; start again' });
}

/** Writes the state, and again when the seeds are applied. */
function keepSeeding(folder: string, state: DevState): Seeding {
  let { isSeeded = false } = state;
  writeState(folder, state);
  return {
    isDone: () => isSeeded,
    markDone: () => {
      isSeeded = true;
      writeState(folder, { ...state, isSeeded });
    },
  };
}

interface DevRun {
  readonly context: Context;
  readonly options: DevOptions;
  readonly root: string;
  readonly config: string;
  readonly signedIn: { readonly target: Target };
  readonly seeding: Seeding;
  /** Signs in again before the session ends. */
  renew(): Promise<void>;
}

/** Follows the files until it is interrupted, or the platform ends. */
async function work(run: DevRun, interrupts: Interrupts, platform: StartedPlatform): Promise<void> {
  const { root, options, config } = run;
  const context = contextOf(run.context, run.signedIn);
  const seeds = join(root, 'seeds');
  const types = options.types === false ? undefined : resolve(root, options.types);
  const project = { context, config, seeds, types, workspace: options.workspace, seeding: run.seeding };
  const kindOf = new Map([
    [relative(root, config), 'config'],
    ['seeds', 'seeds'],
  ]);
  const rounds = createRounds(async (kinds) => {
    await run.renew().catch(() => undefined);
    await devRound(project, kinds);
  });
  const ask = (name: string) => rounds.ask(kindOf.get(name) ?? name);
  // Watched before it is read, so that no change is missed.
  const watching = watchFolders(root, [...kindOf.keys()], ask, (sentence) => context.out.note(sentence));
  try {
    await devRound(project, new Set(run.seeding.isDone() ? ['config'] : kindOf.values()));
    await announce(context, options.console);
    await Promise.race([interrupts.over, platform.ended]);
  } finally {
    watching.close();
    await rounds.stop();
  }
}

/** The same command, on the platform that was started, whichever the project names. */
function contextOf(context: Context, signedIn: DevRun['signedIn']): Context {
  return {
    ...context,
    target: () => signedIn.target,
    management: () => connect(signedIn.target),
    ask: createPrompt(signedIn.target.org, undefined),
  };
}

/** The first start signs the builder up. */
async function signIn({ app, management: url }: StartedPlatform, { org, email, password }: DevState): Promise<Target> {
  const management = connect({ url });
  const body = { email, password };
  const reply = await management.call('logIn', { body }).catch((error: unknown) => {
    if (!hasCode(error, 'credentials_invalid')) throw error;
    return management.call('signUp', { body: { ...body, name: 'Developer', org_name: org, org_code: org } });
  });
  if ('second_factor' in reply)
    throw new CommandError('the builder of this platform for development has a second factor', {
      code: 'wrong_usage',
      next: 'remove it in the console, or remove the data folder',
    });
  const { token, expires_at } = reply;
  if (token === undefined) throw new CommandError('the platform gave no token', { code: 'no_platform' });
  return { url, appUrl: app, org, kind: 'session', token, email, expiresAt: expires_at, profile: undefined };
}

async function announce(context: Context, hasConsole: boolean): Promise<void> {
  const { url, appUrl = '', org } = context.target();
  const { environments } = await context.management().call('readOrg');
  const clientId = environments.test.client_id;
  const isServed = hasConsole && (await servesConsole(url));
  const link = isServed ? (await context.management().call('createSignInLink')).url : null;
  const reported = { app: appUrl, management: url, org, client_id: clientId, sign_in: link };
  context.out.result(reported, [
    `app          ${appUrl}/app/${org}  (client_id ${clientId})`,
    `management   ${url}  (org ${org})`,
    ...(link === null ? [] : [`sign in      ${link}  (once, within 15 minutes)`]),
    ...(hasConsole && !isServed ? ['the console is not built: `npm ci && npm run build` in the clone builds it'] : []),
    'changes of the files are followed; Ctrl-C ends the platform',
  ]);
}

/** A page that comes later, since the console is being built, says when to ask again. */
async function servesConsole(url: string): Promise<boolean> {
  const { ok, headers } = await fetch(`${url}/`, { headers: { Accept: 'text/html' } });
  return ok || headers.has('retry-after');
}

function portOf(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new CommandError(`\`${text}\` is no port`, { code: 'wrong_usage' });
}

function portOfUrl(url: string): number {
  return Number(new URL(url).port);
}
