/** What an org may use. Plans are data: these names have limits of their own, and an operator may make others. */
import type { InputError } from '@freehold/contract/problem';
import { pointerTo } from '../lib/json-pointer.ts';
import { invalidBody } from '../lib/problem.ts';
import { unknownNames } from '../lib/unknown-names.ts';

export const metrics = ['api_calls_per_day', 'api_calls_per_month', 'records'] as const;

export type Metric = (typeof metrics)[number];

/**
 * What an org may have configured: entities and indexes in each environment, policies in each workspace. Unlike a metric,
 * a cap that is reached closes nothing but what would add more.
 */
export const caps = ['entities', 'indexes', 'policies'] as const;

export type Cap = (typeof caps)[number];

export const limitNames = [...metrics, ...caps] as const;

/** What is left out has no limit but those of the platform itself. */
export type Limits = Readonly<Partial<Record<Metric | Cap, number>>>;

export interface Plan {
  readonly name: string;
  readonly limits: Limits;
}

/** The limits of plans that are named without saying any. */
const knownPlans: Readonly<Record<string, Limits>> = {
  free: {
    api_calls_per_day: 10_000,
    api_calls_per_month: 100_000,
    records: 10_000,
    entities: 25,
    indexes: 100,
    policies: 50,
  },
  pro: {
    api_calls_per_day: 1_000_000,
    api_calls_per_month: 10_000_000,
    records: 1_000_000,
    entities: 250,
    indexes: 2500,
    policies: 500,
  },
  unlimited: {},
};

/** The plan of orgs that nobody has given one. */
export const defaultPlan: Plan = { name: 'unlimited', limits: {} };

/** @throws Problem `validation_failed`, `unknown_field`, naming everything that is wrong. */
export function readPlan(body: unknown): Plan {
  if (!isObject(body))
    throw invalidBody([{ pointer: '', code: 'wrong_type', message: 'the body is a JSON object with `name`' }]);
  const { name, limits, ...others } = body;
  const errors = unknownMembers(others, '');
  if (typeof name !== 'string' || !/^[a-z][a-z0-9_-]{0,63}$/.test(name))
    errors.push({
      pointer: '/name',
      code: name === undefined ? 'required' : 'pattern',
      message: '`name` must be lower-case letters, digits, `-` and `_`, beginning with a letter, at most 64',
    });
  const known = typeof name === 'string' && Object.hasOwn(knownPlans, name) ? knownPlans[name] : undefined;
  if (limits === undefined && known === undefined && errors.length === 0)
    errors.push({
      pointer: '/limits',
      code: 'required',
      message: `\`limits\` is required: only ${Object.keys(knownPlans).join(', ')} have some of their own`,
    });
  const read = limits === undefined ? (known ?? {}) : readLimits(limits, errors);
  if (errors.length > 0) throw invalidBody(errors);
  return { name: String(name), limits: read };
}

function readLimits(limits: unknown, errors: InputError[]): Limits {
  if (!isObject(limits)) {
    errors.push({ pointer: '/limits', code: 'wrong_type', message: '`limits` must be an object' });
    return {};
  }
  const read: Partial<Record<Metric | Cap, number>> = {};
  const others = { ...limits };
  for (const name of limitNames) {
    const value = limits[name];
    delete others[name];
    if (value === undefined) continue;
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) read[name] = value;
    else {
      const message = `\`${name}\` must be a whole number that is not negative; left out, there is no limit`;
      errors.push({ pointer: `/limits/${name}`, code: 'wrong_type', message });
    }
  }
  errors.push(...unknownMembers(others, '/limits'));
  return read;
}

function unknownMembers(members: object, place: string): InputError[] {
  return unknownNames(members, () => false).map((name) => ({
    pointer: `${place}${pointerTo(name)}`,
    code: 'unknown_field',
    message: `unknown member \`${name.slice(0, 100)}\``,
  }));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
