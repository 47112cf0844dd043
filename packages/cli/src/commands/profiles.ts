import { sep } from 'node:path';
import { CommandError } from '../frame/command-error.ts';
import type { AddCommands, Context } from '../frame/context.ts';
import { connect } from '../management/connect.ts';
import type { Profile } from '../profiles/profile-store.ts';
import { boundEnvironment, placeOf } from '../profiles/target.ts';
import { isWebAddress } from '../project/project-file.ts';
import { signInByBrowser, signInByPastedCode } from '../sign-in/by-browser.ts';
import { assertAccepted, signInByKey } from '../sign-in/by-key.ts';
import { signInByPassword } from '../sign-in/by-password.ts';
import type { SignIn, SignInPlace } from '../sign-in/sign-in.ts';

interface LoginOptions {
  readonly url?: string;
  readonly org?: string;
  readonly appUrl?: string;
  readonly keyStdin?: true;
  readonly password?: true;
  /** Undefined where neither `--browser` nor `--no-browser` is given. */
  readonly browser?: boolean;
}

/** `login`, `logout`, `whoami` and `profiles`: credentials, and whose they are. */
export const addProfileCommands: AddCommands = (program, run) => {
  program
    .command('login')
    .description('signs in, and keeps the credential as a profile')
    .option('--url <url>', 'address of the management gateway (default: that of freehold.yaml)')
    .option('--org <code>', 'org to work in (default: that of freehold.yaml)')
    .option('--app-url <url>', 'address of the app gateway, which service keys are for')
    .option('--key-stdin', 'reads a deploy key or a service key from standard input')
    .option('--browser', 'signs in by the console in a browser (the way that a terminal takes)')
    .option('--no-browser', 'shows the address, and asks for the code that the console shows')
    .option('--password', 'asks for email address and password')
    .action(run<LoginOptions, []>((context, options) => login(context, options)));
  program
    .command('logout')
    .description('ends the session, and removes the profile')
    .action(run((context) => logout(context)));
  program
    .command('whoami')
    .description('shows who is signed in, where, and with what')
    .action(run((context) => whoAmI(context)));
  program
    .command('profiles')
    .description('lists the profiles of this user')
    .action(run((context) => listProfiles(context)));
};

async function login(context: Context, options: LoginOptions): Promise<undefined> {
  const place = placeToSignIn(context, options);
  assertOutside(context);
  const profile = await wayOf(context, options)(context, place);
  const name = context.options.profile ?? defaultName(context, profile);
  context.profiles.put(name, profile);
  if (isOpenToListeners(profile.url))
    context.out.note(`${profile.url} is not encrypted: others may read the credential`);
  context.out.result({ profile: name, ...shown(profile) }, [
    `signed in to ${profile.org} at ${profile.url} with a ${profile.kind}; the profile is \`${name}\``,
  ]);
}

/** A further way to sign in is a `SignIn` of its own, and is chosen here. */
function wayOf({ ask }: Context, { keyStdin, password, browser }: LoginOptions): SignIn {
  if (keyStdin === true) return signInByKey;
  if (browser === false) return signInByPastedCode;
  if (browser === true) return signInByBrowser;
  return password === true || !ask.isTerminal ? signInByPassword : signInByBrowser;
}

function placeToSignIn(context: Context, options: LoginOptions): SignInPlace {
  const { options: globals, env } = context;
  const place = placeOf({ options: globals, env, project: context.projectIfAny() });
  const url = options.url ?? place?.url;
  if (url === undefined)
    throw new CommandError('no platform is named', { code: 'wrong_usage', next: 'add `--url URL`' });
  for (const address of [url, options.appUrl ?? url])
    if (!isWebAddress(address)) throw new CommandError(`\`${address}\` is no web address`, { code: 'wrong_usage' });
  const isOfProject = url.replace(/\/+$/, '') === place?.url;
  return {
    url: url.replace(/\/+$/, ''),
    org: options.org ?? (isOfProject ? place?.org : undefined),
    appUrl: (options.appUrl ?? (isOfProject ? place?.appUrl : undefined))?.replace(/\/+$/, ''),
  };
}

/** A credential inside of a project would be committed with it. */
function assertOutside({ profiles, projectIfAny }: Context): void {
  const root = projectIfAny()?.root;
  if (root !== undefined && profiles.path.startsWith(`${root}${sep}`))
    throw new CommandError(`${profiles.path} lies inside of the project, and would be committed with it`, {
      code: 'profiles_in_project',
      next: 'let XDG_CONFIG_HOME name a folder outside of the project',
    });
}

/** The name of the org, or of the org and the host where a profile of this name is for another place. */
function defaultName({ profiles, env }: Context, profile: Profile): string {
  if (env.FREEHOLD_PROFILE) return env.FREEHOLD_PROFILE;
  const other = profiles.all().get(profile.org);
  const isFree = other === undefined || (other.url === profile.url && other.org === profile.org);
  return isFree ? profile.org : `${profile.org}-${new URL(profile.url).host.replace(/[^\w.-]/g, '-')}`;
}

function isOpenToListeners(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === 'http:' && !/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

async function logout(context: Context): Promise<undefined> {
  const { profile: name, ...target } = context.target();
  if (name === undefined)
    throw new CommandError('the credential is from FREEHOLD_TOKEN, and is not kept here', {
      code: 'no_profile',
      next: 'unset the variable',
    });
  let hasEnded = false;
  if (target.kind === 'session')
    hasEnded = await connect(target)
      .call('logOut')
      .then(
        () => true,
        () => false,
      );
  context.profiles.remove(name);
  const kept =
    target.kind === 'session'
      ? 'the platform could not be told: the session ends by itself'
      : 'the key itself stays valid';
  context.out.result({ profile: name, removed: true, session_ended: hasEnded }, [
    `profile \`${name}\` is removed${hasEnded ? ', and its session has ended' : `; ${kept}`}`,
  ]);
}

async function whoAmI(context: Context): Promise<undefined> {
  const target = context.target();
  const of = target.profile === undefined ? 'FREEHOLD_TOKEN' : `profile \`${target.profile}\``;
  if (target.kind !== 'session') {
    await assertAccepted(target);
    context.out.result({ profile: target.profile ?? null, ...shown(target) }, [
      `a ${target.kind} of ${target.org} at ${target.url} (${of})`,
    ]);
    return;
  }
  const { user, org, role } = await context.management().call('readMe');
  context.out.result({ profile: target.profile ?? null, ...shown(target), email: user.email, role }, [
    `${user.email}, ${role} of ${org.code} at ${target.url} (${of})`,
  ]);
}

function listProfiles(context: Context): undefined {
  const listed = [...context.profiles.all()];
  const width = Math.max(0, ...listed.map(([name]) => name.length));
  context.out.result(
    { path: context.profiles.path, profiles: listed.map(([name, profile]) => ({ profile: name, ...shown(profile) })) },
    listed.map(([name, { url, org, kind, email }]) => `${name.padEnd(width)}  ${org} at ${url}, ${email ?? kind}`),
  );
  if (listed.length === 0) context.out.note('there are no profiles: run `freehold login`');
}

/** All of a profile but its credential. */
function shown(profile: Profile): object {
  const environment = boundEnvironment(profile);
  return {
    url: profile.url,
    org: profile.org,
    kind: profile.kind,
    ...(profile.email === undefined ? {} : { email: profile.email }),
    ...(profile.expiresAt === undefined ? {} : { expires_at: profile.expiresAt }),
    ...(environment === undefined ? {} : { environment }),
  };
}
