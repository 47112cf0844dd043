/** The largest of what an app's users may ask. */
import { randomUUID } from 'node:crypto';
import { fullLinks, largestDefinition, linkedDefinition } from '../largest/largest-definitions.ts';
import { writesWithEvents } from '../largest/largest-events.ts';
import { references, referencesToNothing } from '../largest/largest-references.ts';
import { random, type Stage } from '../stage.ts';
import type { Largest, Rows } from '../worst-case.ts';
import { json, noId } from './requested-json.ts';

const bodyBytes = 1024 * 1024 - 2000;

const of =
  (rest: string) =>
  ({ org }: Pick<Stage, 'org'>): string =>
    `/app/${org}${rest}`;

/** All that a note can be expanded by, on both levels. */
const expand = `expand=${['parent_id', 'note_via_parent_id'].flatMap((one) => [`${one}.parent_id`, `${one}.note_via_parent_id`]).join(',')}`;

/** The same of records that refer to many: those of one array, and for each of these all that others show. */
const expandLinks = `expand=${['l1', 'l2', 'l3', 'linked_via_l0'].map((one) => `l0.${one}`).join(',')},l1.l0,l2.linked_via_l1`;
const allLinks = linkedDefinition.UpdateParams.map(({ name }) => name);

/** A record that fills a body, by what most of it is. */
const records: readonly (readonly [what: string, record: () => object])[] = [
  ['a record with all its fields', () => fullRecord(bodyBytes)],
  ['a text of many words', () => ({ f0: words(bodyBytes) })],
  ['texts for patterns', () => ({ ...forPatterns(1), f130: [forPattern] })],
  [
    'an array of addresses',
    () => ({ f131: Array.from({ length: 40_000 }, (_, index) => `https://a.example/${index}`) }),
  ],
  [
    'JSON of many members',
    () => ({ f171: Object.fromEntries(Array.from({ length: 49_900 }, (_, index) => [`k${index}`, 1])) }),
  ],
  ['JSON of many elements', () => ({ f171: Array.from({ length: 500_000 }, () => 1) })],
];

/** Values of its own for every unique index. */
function unlike(): Readonly<Record<string, string>> {
  return Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`f${index}`, random()]));
}

/** Matches at its end alone. */
const forPattern = `${'a'.repeat(990)}c`;

function forPatterns(count: number): Readonly<Record<string, string>> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${100 + index}`, forPattern]));
}

const tooMuchForPatterns = (): unknown => ({ ...forPatterns(30), f130: Array.from({ length: 950 }, () => forPattern) });

/** Fields of all kinds that are wrong, and arrays of what is wrong. */
const wrongRecord = (): unknown => ({
  ...Object.fromEntries(Array.from({ length: 130 }, (_, index) => [`f${index}`, index])),
  f132: Array.from({ length: 200_000 }, (_, index) => index % 10),
});

function fullRecord(bytes: number): object {
  const texts = largestDefinition.UpdateParams.filter(
    ({ colType, pattern }) => colType === 'string' && pattern === undefined,
  );
  const text = words(Math.floor(bytes / texts.length) - 30);
  return Object.fromEntries(texts.map(({ name }) => [name, `${random()} ${text}`]));
}

function words(bytes: number): string {
  let text = '';
  for (let index = 0; text.length < bytes; index++) text += `${index.toString(36)} `;
  return text.slice(0, bytes);
}

/** What `includes` of V8 compares in full at each place: long, with another letter near its beginning. */
const slowNeedle = `aab${'a'.repeat(12_000)}`;
const manyValues = Array.from({ length: 100 }, (_, index) => `x${index}`).join(',');
const manyFilters = `title=${manyValues}&title_op=in&note=${manyValues.slice(0, 400)}&note_op=ne`;

/** Each part goes through the texts more than once. */
const slowParts = Array.from({ length: 10 }, (_, index) => `(note + note).lowerAscii().contains("${index}b")`);
const slowFilter = encodeURIComponent(slowParts.join(' || '));

const groupsOfOne = 'group=id,title,hour(created_at),day(updated_at)&measure=count,min:note,max:note,distinct:title';
const manyGroups = `${groupsOfOne}&pagesize=1000&having=${encodeURIComponent('count > 0 && !max_note.contains("b")')}`;

const slowLookups = slowFilter.replaceAll('note', 'parent_id.note');
const soughtLookups = encodeURIComponent(
  `parent_id.title == "n0" && (${slowParts.slice(1).join(' || ').replaceAll('note', 'parent_id.note')})`,
);

/** What decides which records are shown, each over as many records as one page looks at. */
function choices(route: string): readonly Largest[] {
  const over = (query: string): string => `${route}${query === '' ? '' : `?${query}`}`;
  return [
    { what: 'records', ask: (stage) => ({ target: of(over(''))(stage) }) },
    {
      what: 'records and policies',
      ask: (stage) => ({ as: 'restricted', target: of(over(''))(stage) }),
    },
    {
      what: 'a needle in texts',
      status: 400,
      ask: (stage) => ({ target: of(over(`note=${slowNeedle}&note_op=contains`))(stage) }),
    },
    {
      what: 'a short needle in texts',
      ask: (stage) => ({ target: of(over(`note=aab${'a'.repeat(245)}&note_op=contains`))(stage) }),
    },
    { what: 'values of filters', ask: (stage) => ({ target: of(over(manyFilters))(stage) }) },
    {
      what: 'an expression over texts',
      ask: (stage) => ({ target: of(over(`filter=${slowFilter}`))(stage) }),
    },
    {
      what: 'an expression over texts of other records',
      ask: (stage) => ({ as: 'restricted', target: of(over(`filter=${slowLookups}`))(stage) }),
    },
    {
      what: 'records that are found by the texts of others',
      ask: (stage) => ({ as: 'member', target: of(over(`filter=${soughtLookups}`))(stage) }),
    },
    {
      what: 'records in the order of others, with an expression over texts of these',
      ask: (stage) => ({
        as: 'member',
        target: of(over(`sortby=parent_id.title&sortdir=desc&filter=${slowLookups}`))(stage),
      }),
    },
    { what: 'words', ask: (stage) => ({ target: of(over(`q=${'a+b+c+d+e+f+g+h+i+j'}`))(stage) }) },
  ];
}

const batchOf = (mode: string, entity: string, data: () => object): Largest => ({
  what: `${mode} operations`,
  ask: () =>
    json({ mode, operations: Array.from({ length: 100 }, () => ({ action: 'create', entity, data: data() })) }),
});

const evaluation = (index: number): unknown => ({
  subject: { type: 'user', id: noId },
  action: { name: 'create', properties: { title: `x${index}`, note: 'a'.repeat(9_000) } },
  resource: { type: 'note' },
});

const rowsOfJson = (bytes: number): string => {
  const row = `${JSON.stringify({ title: 't', note: words(800_000) })}\n`;
  return row.repeat(Math.ceil(bytes / row.length));
};

const recordRows: Rows = {
  'POST /app/:org/create/:entity': {
    largest: [
      ...records.map(([what, record]): Largest => ({ what, ask: () => json({ ...unlike(), ...record() }) })),
      {
        what: 'arrays of lookups',
        ask: (stage) => ({ target: of('/create/linked')(stage), ...json(fullLinks(stage.linkedIds)) }),
      },
      {
        what: 'arrays of lookups that lead nowhere',
        status: 400,
        ask: (stage) => ({
          target: of('/create/linked')(stage),
          ...json(Object.fromEntries(allLinks.map((name) => [name, Array.from({ length: 100 }, () => randomUUID())]))),
        }),
      },
      { what: 'a record that is wrong', status: 400, ask: () => json(wrongRecord()) },
      { what: 'more texts for patterns', status: 400, ask: () => json(tooMuchForPatterns()) },
      {
        what: 'statements of a policy',
        status: 400,
        ask: (stage) => ({
          target: of('/create/aclpolicy')(stage),
          ...json({
            name: random(),
            statements: Array.from({ length: 8_000 }, () => ({
              Effect: 'Allow',
              Action: ['get*'],
              Resource: ['/*x*y*'],
            })),
          }),
        }),
      },
      {
        what: 'a record under policies',
        status: 403,
        ask: (stage) => ({
          as: 'restricted',
          target: of('/create/note')(stage),
          ...json({ title: 'a', note: 'a'.repeat(bodyBytes) }),
        }),
      },
    ],
  },
  'PUT /app/:org/update/:entity/:id': {
    target: (stage) => of(`/update/wide/${stage.wideId}`)(stage),
    largest: [
      ...records.map(
        ([what, record]): Largest => ({
          what,
          // A record of its own: what one leaves would be added to the next.
          ask: async (stage) => {
            const { id } = await stage.call('member', 'POST', of('/create/wide')(stage), unlike());
            return { target: of(`/update/wide/${id}`)(stage), ...json(record()) };
          },
        }),
      ),
      { what: 'a record that is wrong', status: 400, ask: () => json(wrongRecord()) },
      { what: 'more texts for patterns', status: 400, ask: () => json(tooMuchForPatterns()) },
    ],
  },
  'GET /app/:org/item/:entity/:id': {
    target: (stage) => of(`/item/note/${stage.noteId}`)(stage),
    largest: [
      { what: 'a record', ask: () => ({}) },
      { what: 'a record under policies', ask: () => ({ as: 'restricted' }) },
      {
        what: 'a record with others beside it',
        ask: (stage) => ({ as: 'restricted', target: of(`/item/note/${stage.noteId}?${expand}`)(stage) }),
      },
    ],
  },
  'GET /app/:org/list/:entity': {
    target: of('/list/note'),
    largest: [
      ...choices('/list/note'),
      {
        what: 'records, their total and a part of each',
        ask: (stage) => ({
          as: 'restricted',
          target: of('/list/note?note=x&note_op=ne&total=true&fields=title&pagesize=200')(stage),
        }),
      },
      {
        what: 'records with others beside them',
        ask: (stage) => ({ as: 'restricted', target: of(`/list/note?pagesize=200&${expand}`)(stage) }),
      },
      {
        what: 'records with those of their arrays beside them',
        ask: (stage) => ({ target: of(`/list/linked?pagesize=200&${expandLinks}`)(stage) }),
      },
      {
        what: 'records with those of their arrays beside them, and policies',
        ask: (stage) => ({ as: 'restricted', target: of(`/list/linked?pagesize=200&${expandLinks}`)(stage) }),
      },
    ],
  },
  'GET /app/:org/count/:entity': { as: 'member', target: of('/count/note'), largest: choices('/count/note') },
  'GET /app/:org/aggregate/:entity': {
    as: 'member',
    target: of('/aggregate/note'),
    largest: [
      ...choices('/aggregate/note').filter(({ what }) => !what.startsWith('records in the order of others')),
      {
        what: 'groups of one record each, with figures and a condition on groups',
        ask: (stage) => ({ target: of(`/aggregate/note?${manyGroups}`)(stage) }),
      },
      {
        what: 'groups of one record each, and policies',
        ask: (stage) => ({ as: 'restricted', target: of('/aggregate/note?group=id&pagesize=1000')(stage) }),
      },
    ],
  },
  'GET /app/:org/export/:entity': { as: 'member', target: of('/export/note'), largest: choices('/export/note') },
  'POST /app/:org/import/:entity': {
    target: of('/import/note'),
    largest: [
      {
        what: 'rows of JSON',
        ask: () => ({ headers: { 'content-type': 'application/x-ndjson' }, body: rowsOfJson(4_000_000) }),
      },
      {
        what: 'small rows that are wrong',
        ask: () => ({ headers: { 'content-type': 'application/x-ndjson' }, body: '{"a":1}\n'.repeat(10_000) }),
      },
      {
        what: 'columns of CSV',
        status: 400,
        ask: () => ({
          headers: { 'content-type': 'text/csv' },
          body: `${Array.from({ length: 1000 }, (_, index) => `c${index}`).join()}\n${'""",'.repeat(200_000)}\n`,
        }),
      },
      {
        what: 'cells of CSV',
        ask: () => ({ headers: { 'content-type': 'text/csv' }, body: `title,note\n${'a,"b"""\n'.repeat(2_000)}` }),
      },
    ],
  },
  'POST /app/:org/batch': {
    largest: [
      batchOf('independent', 'wide', () => fullRecord(bodyBytes / 105)),
      batchOf('atomic', 'note', () => ({ title: random(), note: 'a'.repeat(9_000) })),
      writesWithEvents,
      references,
      referencesToNothing,
    ],
  },
  'POST /app/:org/access/v1/evaluation': {
    as: 'restricted',
    largest: [
      {
        what: 'properties',
        ask: ({ restricted }) =>
          json({
            subject: { type: 'user', id: restricted.id },
            action: { name: 'create', properties: { title: 'x', note: 'a'.repeat(bodyBytes - 1000) } },
            resource: { type: 'note' },
          }),
      },
    ],
  },
  'POST /app/:org/access/v1/evaluations': {
    as: 'restricted',
    largest: [
      {
        what: 'evaluations',
        ask: ({ restricted }) =>
          json({
            subject: { type: 'user', id: restricted.id },
            evaluations: Array.from({ length: 100 }, (_, index) => ({
              ...(evaluation(index) as object),
              subject: { type: 'user', id: restricted.id },
            })),
          }),
      },
    ],
  },
  'GET /app/:org/openapi.json': {
    // The document is kept until the configuration is another one.
    largest: ['default', 'compact'].map((view) => ({
      what: `entities by the view ${view}`,
      ask: async ({ call, org }) => {
        const entityName = `e${random()}`;
        await call('builder', 'POST', `/api/create-${entityName}`, { entityName, UpdateParams: [{ name: 'a' }] });
        return { target: of(`/openapi.json?view=${view}`)({ org }) };
      },
    })),
  },
};

const otherRows: Rows = {
  'POST /app/:org/user/logout': {
    largest: [],
    notSentAnything: 'without a body it ends the token that all others are sent with',
  },
  'GET /app/:org/user/permissions': { as: 'restricted' },
  'POST /app/:org/user/invitations': { members: () => ({ acl_policy_id: undefined }) },
  'PUT /app/:org/user/workspace': { members: () => ({ default_member_access: undefined }) },
  'DELETE /app/:org/user/workspace': { target: of('/user/workspace'), largest: [] },
};

export const appRows: Rows = { ...recordRows, ...otherRows };
