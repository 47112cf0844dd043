import type { AccessContext } from '../context/context.ts';
import type { Dice } from './dice.ts';
import { type Kind, kinds, nearValues, type Scalar, soundValues } from './mean-values.ts';

/** A few values of each kind, from which a policy and its requests draw alike: so they often meet. */
export type Palette = Readonly<Record<Kind, readonly Scalar[]>>;

export function randomPalette(dice: Dice): Palette {
  const few = (kind: Kind) => dice.list(1, 3, () => dice.pick(soundValues[kind]));
  return {
    text: [...few('text'), dice.pick(ids)],
    number: few('number'),
    date: few('date'),
    address: few('address'),
    truth: few('truth'),
  };
}

/** Members that records, bodies, claims and parameters have, and what they mostly hold. */
const memberKinds: readonly (readonly [string, Kind])[] = [
  ['status', 'text'],
  ['owner', 'text'],
  ['n', 'number'],
  ['when', 'date'],
  ['ip', 'address'],
  ['flag', 'truth'],
  ['k', 'text'],
  ['constructor', 'text'],
];

export const ids = ['u1', 'U1', 'u*', '*', 'u?', 'u11', '😀', 'a/b'] as const;
export const entities = ['order', 'orders', 'user'] as const;

export function randomContext(dice: Dice, palette: Palette): AccessContext {
  const query = Object.entries(randomMembers(dice, palette)).flatMap(([name, value]) =>
    typeof value === 'string' ? [[dice.hits(5) ? `${name}.b` : name, value] as const] : [],
  );
  const address = dice.hits(10)
    ? undefined
    : String(dice.pick(dice.hits(85) ? soundAddresses(palette) : nearValues.address));
  const body: unknown = dice.hits(10) ? dice.pick([undefined, null, [], 'a', 1]) : randomMembers(dice, palette);
  return {
    request: {
      method: dice.pick(['GET', 'POST', 'PUT', 'DELETE']),
      path: `/item/${dice.pick(entities)}/${dice.pick(ids)}`,
      pathParameters: {
        ...(dice.hits(85) ? { id: randomId(dice, palette) } : {}),
        ...(dice.hits(85) ? { entity: dice.pick(entities) } : {}),
      },
      queryParameters: new Map(query),
      ...(body === undefined ? {} : { body }),
      ip: address,
      time: 1709164800_000 + dice.pick([0, 0, 1, -1, 500, 86_400_000]),
      ...(dice.hits(60) ? { origin: dice.pick(['https://a.example', 'https://A.example', '']) } : {}),
    },
    user: { id: randomId(dice, palette), email: dice.pick(['a@example.com', 'A@example.com', 'k@example.com']) },
    tenant: { id: randomId(dice, palette), code: dice.pick(['a', 'b', 'acme']) },
    jwt: { ...randomMembers(dice, palette), role: dice.pick(['admin', 'a', '*']) },
    ...(dice.hits(85) ? { record: randomMembers(dice, palette) } : {}),
    ...(dice.hits(30) ? { before: randomMembers(dice, palette) } : {}),
    ...(dice.hits(30) ? { after: randomMembers(dice, palette) } : {}),
  };
}

/** A record, a body or claims. */
export function randomMembers(dice: Dice, palette: Palette): Readonly<Record<string, unknown>> {
  const members = memberKinds
    .filter(() => dice.hits(80))
    .map(([name, kind]) => [dice.hits(4) ? name.toUpperCase() : name, randomValue(dice, palette, kind)] as const);
  const more: (readonly [string, unknown])[] = [];
  if (dice.hits(4)) more.push(['STATUS', randomValue(dice, palette, 'text')]);
  if (dice.hits(4)) more.push(['Status', randomValue(dice, palette, 'text')]);
  if (dice.hits(3)) more.push(['__proto__', randomValue(dice, palette, 'text')]);
  if (dice.hits(3)) more.push(['\u212a', randomValue(dice, palette, 'text')]);
  if (dice.hits(75)) more.push(['tags', randomList(dice, palette, dice.pick(kinds))]);
  if (dice.hits(60)) more.push(['data', randomObject(dice, palette)]);
  if (dice.hits(5))
    more.push([dice.pick(['before', 'after', 'Before']), { status: randomValue(dice, palette, 'text') }]);
  const all = [...members, ...more];
  return withTwins(dice, Object.fromEntries(all), (name) => {
    const kind = memberKinds.find(([known]) => known === name)?.[1];
    return kind === undefined ? randomObject(dice, palette) : randomValue(dice, palette, kind);
  });
}

/** Now and then with some members a second and a third time, under names that differ in case alone. */
function withTwins(
  dice: Dice,
  members: Readonly<Record<string, unknown>>,
  valueFor: (name: string) => unknown,
): Readonly<Record<string, unknown>> {
  if (!dice.hits(18)) return members;
  const names = Object.keys(members).filter(() => dice.hits(50));
  const twins = names.flatMap((name) => {
    const others = [name.toUpperCase(), name.charAt(0).toUpperCase() + name.slice(1)];
    return dice.list(1, 2, () => dice.pick(others)).map((other) => [other, valueFor(name)] as const);
  });
  const kept = Object.entries(members).filter(([name]) => !names.includes(name) || dice.hits(50));
  return Object.fromEntries([...kept, ...twins]);
}

function randomObject(dice: Dice, palette: Palette): unknown {
  if (dice.hits(10)) return dice.pick([null, [], 'a', {}, [{}]]);
  const inner = { [dice.hits(10) ? 'INNER' : 'inner']: randomValue(dice, palette, dice.pick(kinds)) };
  const scalar = () => randomValue(dice, palette, dice.pick(kinds));
  const deep = () => withTwins(dice, { x: scalar() }, scalar);
  return withTwins(dice, dice.hits(50) ? { ...inner, deep: deep() } : inner, (name) =>
    name === 'deep' ? deep() : scalar(),
  );
}

function randomValue(dice: Dice, palette: Palette, kind: Kind): unknown {
  const luck = dice.below(100);
  if (luck < 72) return dice.pick(palette[kind]);
  if (luck < 79) return dice.pick(nearValues[kind]);
  if (luck < 84) return dice.pick(palette[dice.pick(kinds)]);
  if (luck < 87) return null;
  if (luck < 90) return dice.pick([{}, { inner: 'a' }]);
  return randomList(dice, palette, kind);
}

function randomList(dice: Dice, palette: Palette, kind: Kind): readonly unknown[] {
  return dice.list(0, 3, () => {
    if (dice.hits(4)) return dice.pick([null, {}, ['a'], [], [null], ['a', 'b']]);
    return dice.pick(dice.hits(85) ? palette[kind] : nearValues[kind]);
  });
}

/** Mostly an id that the palette's texts hold too. */
function randomId(dice: Dice, palette: Palette): string {
  const known = palette.text.filter((text) => ids.some((id) => id === text));
  return String(dice.pick(dice.hits(60) ? known : ids));
}

function soundAddresses(palette: Palette): readonly Scalar[] {
  return [...palette.address.map((text) => String(text).split('/')[0] ?? ''), '10.0.0.1'];
}
