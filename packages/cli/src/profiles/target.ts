import { CommandError } from '../frame/command-error.ts';
import type { Project, ProjectTarget } from '../project/project-file.ts';
import type { Profile, ProfileStore } from './profile-store.ts';

/** Where a command works, and by which credential. */
export interface Target extends Profile {
  /** The profile that the credential is from; undefined where it is from FREEHOLD_TOKEN. */
  readonly profile: string | undefined;
}

export interface TargetRequest {
  readonly options: { readonly profile?: string; readonly target?: string };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly profiles: ProfileStore;
  readonly project: Project | undefined;
}

/**
 * The project says where, the profile by which credential. What is named and missing, or names another place, is an
 * error: no command falls back to another platform, org or credential.
 */
export function resolveTarget(request: TargetRequest): Target {
  const { options, env, project } = request;
  const place = placeOf(request);
  const named = options.profile ?? given(env.FREEHOLD_PROFILE);
  const token = given(env.FREEHOLD_TOKEN);
  if (token !== undefined && named !== undefined)
    throw wrong('FREEHOLD_TOKEN and a profile are two credentials', 'name the profile, or unset it; not both');
  if (token !== undefined) return fromToken(token, env, place);
  const name = named ?? place?.profile;
  const found = name === undefined ? onlyMatch(request, place) : profileNamed(request.profiles, name);
  if (place !== undefined && !isAt(found.profile, place))
    throw new CommandError(
      `profile \`${found.name}\` is for ${found.profile.org} at ${found.profile.url}, and ${project?.path ?? 'the project'} works on ${place.org} at ${place.url}`,
      { code: 'wrong_target', next: `run \`freehold login --profile ${found.name}-2\` here, and use that profile` },
    );
  const appUrl = place?.appUrl ?? found.profile.appUrl;
  return { ...found.profile, profile: found.name, ...(appUrl === undefined ? {} : { appUrl }) };
}

/** What the project file names; undefined without a project file. @throws CommandError for a target that it lacks. */
export function placeOf({ options, env, project }: Omit<TargetRequest, 'profiles'>): ProjectTarget | undefined {
  const name = options.target ?? given(env.FREEHOLD_TARGET);
  if (project === undefined) {
    if (name === undefined) return undefined;
    throw wrong(`there is no freehold.yaml that could name the target \`${name}\``, 'run `freehold init` first');
  }
  if (name === undefined) return project.main;
  const target = project.targets.get(name);
  if (target !== undefined) return target;
  const known = [...project.targets.keys()].map((one) => `\`${one}\``).join(', ');
  throw wrong(
    `${project.path} has no target \`${name}\``,
    known === '' ? 'add it there, under `targets`' : `it has ${known}`,
  );
}

function fromToken(token: string, env: TargetRequest['env'], place: ProjectTarget | undefined): Target {
  const url = place?.url ?? given(env.FREEHOLD_URL);
  const org = place?.org ?? given(env.FREEHOLD_ORG);
  if (url === undefined || org === undefined)
    throw wrong('FREEHOLD_TOKEN is set, and no platform is named', 'set FREEHOLD_URL and FREEHOLD_ORG too');
  const appUrl = place?.appUrl ?? given(env.FREEHOLD_APP_URL);
  return {
    url: url.replace(/\/+$/, ''),
    org,
    token,
    kind: kindOfToken(token),
    profile: undefined,
    ...(appUrl === undefined ? {} : { appUrl }),
  };
}

/** A credential shows by its first letters what it is. */
export function kindOfToken(token: string): Profile['kind'] {
  if (token.startsWith('fhd_')) return 'deploy key';
  return token.startsWith('fhk_') ? 'service key' : 'session';
}

/** The environment that a credential is bound to by its kind. */
export function boundEnvironment({ token }: Pick<Profile, 'token'>): 'test' | 'prod' | undefined {
  const bound = /^fhk_(test|prod)_/.exec(token)?.[1];
  return bound === 'test' || bound === 'prod' ? bound : undefined;
}

/** @throws CommandError where the credential is bound to the other environment, before anything is sent. */
export function assertReaches(target: Pick<Target, 'token'>, environment: 'test' | 'prod'): void {
  const bound = boundEnvironment(target);
  if (bound !== undefined && bound !== environment)
    throw wrong(
      `this key is one of ${bound}, and cannot reach ${environment}`,
      `sign in by \`freehold login\`, or with a key that reaches ${environment}`,
    );
}

interface Named {
  readonly name: string;
  readonly profile: Profile;
}

function profileNamed(profiles: ProfileStore, name: string): Named {
  const all = profiles.all();
  const profile = all.get(name);
  if (profile !== undefined) return { name, profile };
  const known = [...all.keys()].map((one) => `\`${one}\``).join(', ');
  throw new CommandError(`there is no profile \`${name}\``, {
    code: 'no_profile',
    next: `run \`freehold login --profile ${name}\`${known === '' ? '' : `; there are ${known}`}`,
  });
}

/** One that fits is taken, and one of several only by name. */
function onlyMatch({ profiles }: TargetRequest, place: ProjectTarget | undefined): Named {
  const fitting = [...profiles.all()].filter(([, profile]) => place === undefined || isAt(profile, place));
  const [first, second] = fitting;
  if (first === undefined)
    throw new CommandError(
      place === undefined ? 'you are not signed in' : `you are not signed in to ${place.org} at ${place.url}`,
      {
        code: 'no_profile',
        next: place === undefined ? 'run `freehold login --url URL`' : 'run `freehold login`',
      },
    );
  if (second === undefined) return { name: first[0], profile: first[1] };
  throw new CommandError(`several profiles fit: ${fitting.map(([name]) => `\`${name}\``).join(', ')}`, {
    code: 'several_profiles',
    next: 'name one with `--profile` or FREEHOLD_PROFILE',
  });
}

function isAt(profile: Profile, place: Pick<ProjectTarget, 'url' | 'org'>): boolean {
  return profile.url === place.url && profile.org === place.org;
}

function given(value: string | undefined): string | undefined {
  return value === undefined || value === '' ? undefined : value;
}

function wrong(sentence: string, next: string): CommandError {
  return new CommandError(sentence, { code: 'wrong_target', next });
}
