import { notFound } from '../../lib/problem.ts';
import type { Cursors } from '../../records/port.ts';
import type { Scope } from '../../store/port.ts';
import { membersPartition } from './account.ts';
import { findOrg, type Org, orgs } from './org-directory.ts';

/** The orgs of the platform, as its operator sees them. */
export interface PlatformOrgs {
  /** By code. @throws Problem `invalid_cursor`. */
  list(query: OrgsQuery): Promise<OrgsPage>;
  /** @throws Problem `not_found`. */
  find(code: string): Promise<Org>;
  /** Counts the builders of an org, up to 1,000. */
  builders(code: string): Promise<number>;
}

export interface OrgsQuery {
  readonly prefix: string;
  readonly pageSize: number;
  readonly nexttoken: string | undefined;
}

export interface OrgsPage {
  readonly orgs: readonly Org[];
  readonly nexttoken: string | null;
}

export interface PlatformOrgsDeps {
  readonly platform: Scope;
  readonly cursors: Cursors;
}

const countedMax = 1000;

export function createPlatformOrgs({ platform, cursors }: PlatformOrgsDeps): PlatformOrgs {
  return {
    list: async ({ prefix, pageSize, nexttoken }) => {
      const binding = ['platform-orgs', prefix];
      const after = nexttoken === undefined ? {} : { after: cursors.open(nexttoken, binding) };
      const start = prefix === '' ? {} : { prefix };
      const rows = await orgs.range(platform, orgs.key('').pk, { ...start, ...after, limit: pageSize + 1 });
      const shown = rows.slice(0, pageSize);
      const last = rows.length > pageSize ? shown.at(-1) : undefined;
      return {
        orgs: shown.map(({ value }) => value),
        nexttoken: last === undefined ? null : cursors.seal(last.sk, binding),
      };
    },
    find: async (code) => {
      const org = await findOrg(platform, code);
      if (org === undefined) throw notFound();
      return org;
    },
    builders: (code) => platform.count(membersPartition(code), {}, countedMax),
  };
}
