import { setImmediate as nextTurn } from 'node:timers/promises';
import { notFound } from '../../lib/problem.ts';
import type { Cursors } from '../../records/port.ts';
import type { Scope } from '../../store/port.ts';
import { membersPartition } from './account.ts';
import { findOrg, type Org, orgs } from './org-directory.ts';

interface OrgsQuery {
  /** Of the code. */
  readonly prefix: string;
  /** Of the code or the name, in upper or lower case; empty for all. */
  readonly part: string;
  readonly pageSize: number;
  readonly nexttoken: string | undefined;
}

const countedMax = 1000;
/** So many orgs a search looks at in a call. */
const searchedMax = 1000;
const searchedAtOnce = 200;

/** A page, and after which org the next one begins; undefined at the end. */
interface OrgPage {
  readonly found: readonly Org[];
  readonly last: string | undefined;
}

/** The orgs of the platform, as its operator sees them. */
export function createPlatformOrgs({ platform, cursors }: { readonly platform: Scope; readonly cursors: Cursors }) {
  return {
    /** By code. @throws Problem `invalid_cursor`. */
    list: async (query: OrgsQuery) => {
      const { prefix, part, nexttoken } = query;
      const binding = ['platform-orgs', prefix, ...(part === '' ? [] : [part])];
      const after = nexttoken === undefined ? undefined : cursors.open(nexttoken, binding);
      const { found, last } = await (part === '' ? page : search)(platform, query, after);
      return { orgs: found, nexttoken: last === undefined ? null : cursors.seal(last, binding) };
    },
    /** @throws Problem `not_found`. */
    find: async (code: string) => {
      const org = await findOrg(platform, code);
      if (org === undefined) throw notFound();
      return org;
    },
    /** Counts the builders of an org, up to 1,000. */
    builders: (code: string) => platform.count(membersPartition(code), {}, countedMax),
  };
}

function rowsAfter(platform: Scope, prefix: string, after: string | undefined, limit: number) {
  const bounds = { ...(prefix !== '' && { prefix }), ...(after !== undefined && { after }) };
  return orgs.range(platform, orgs.key('').pk, { ...bounds, limit });
}

async function page(platform: Scope, { prefix, pageSize }: OrgsQuery, after: string | undefined): Promise<OrgPage> {
  const rows = await rowsAfter(platform, prefix, after, pageSize + 1);
  const shown = rows.slice(0, pageSize);
  return { found: shown.map(({ value }) => value), last: rows.length > pageSize ? shown.at(-1)?.sk : undefined };
}

/** Names have no index: orgs are few, and only the operator looks for them. */
async function search(
  platform: Scope,
  { prefix, part, pageSize }: OrgsQuery,
  after: string | undefined,
): Promise<OrgPage> {
  const wanted = part.toLowerCase();
  const found: Org[] = [];
  let last = after;
  for (let looked = 0; looked < searchedMax; looked += searchedAtOnce) {
    const rows = await rowsAfter(platform, prefix, last, searchedAtOnce);
    for (const { sk, value } of rows) {
      if (found.length === pageSize) return { found, last };
      if (value.code.includes(wanted) || value.name.toLowerCase().includes(wanted)) found.push(value);
      last = sk;
    }
    if (rows.length < searchedAtOnce) return { found, last: undefined };
    await nextTurn();
  }
  return { found, last };
}
