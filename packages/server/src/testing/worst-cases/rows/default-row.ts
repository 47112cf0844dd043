/** What the description of a route says of the largest that it takes. */
import type { HeaderParameter, Route } from '@freehold/contract/route';
import type { JsonSchema } from '../../../lib/json-schema.ts';
import { largestValue } from '../largest/largest-value.ts';
import type { Caller } from '../send.ts';
import type { Stage } from '../stage.ts';
import type { Largest, RequestOptions, Row, WrittenRow } from '../worst-case.ts';

/** A route as the tables of the gateways have it. */
export interface Listed {
  readonly method: string;
  readonly path: string;
  readonly access: string;
  readonly route?: Route;
}

/** The row of a route: what is written of it, and the rest from its description. */
export function rowOf(listed: Listed, written: WrittenRow = {}): Row {
  const target = written.target ?? ((stage) => pathOf(listed.path, stage.org));
  return {
    as: callerOf(listed),
    largest: largestBy(listed, target, written.members),
    ...written,
    target,
  };
}

function callerOf({ path, access }: Listed): Caller {
  if (access === 'public') return 'anyone';
  if (access === 'operator') return 'operator';
  return path.startsWith('/app/') ? 'member' : 'builder';
}

const noId = '01890a5d-ac96-774b-bcce-b302099a8057';

/** The existing items. */
const known: Readonly<Record<string, string>> = {
  code: 'not_found',
  entity: 'wide',
  entityName: 'viewed',
  kind: 'entity',
  mail: 'invitation',
  tenant_code: 'main',
  version: '1',
};

/** Under an id or a name that is not known here there is nothing, so that no case takes away what others need. */
export function pathOf(path: string, org: string): string {
  return path.replaceAll(/:(\w+)/g, (_, name: string) => {
    if (name === 'org') return org;
    return known[name] ?? (/(^|_)id$/.test(name) ? noId : 'none');
  });
}

const bodyBytesMax = 1024 * 1024 - 2000;
const textBytesMax = 1000;
const headerBytesMax = 8000;

function largestBy({ route }: Listed, target: Row['target'], members?: WrittenRow['members']): readonly Largest[] {
  const { query, headers = [], body, takesStreamOf } = route ?? {};
  const ask = async (stage: Stage, parameters: readonly string[]): Promise<RequestOptions> => {
    if (takesStreamOf !== undefined)
      throw new Error('the description does not say what its stream may have: write a row');
    const made = body === undefined ? undefined : largestValue(body, bodyBytesMax);
    const sent = members === undefined ? made : { ...(made as object), ...members(stage) };
    return {
      target: target(stage) + (parameters.length === 0 ? '' : `?${parameters.join('&')}`),
      headers: Object.fromEntries(headers.filter(isSent).map(({ name }) => [name, 'a'.repeat(headerBytesMax)])),
      ...(sent === undefined ? {} : { body: JSON.stringify(sent) }),
    };
  };
  const { needed, texts } = parametersOf(query);
  const all = { what: 'all that its description permits', parameters: needed };
  const sought = { what: 'all texts of its query', parameters: [...needed, ...texts] };
  return (texts.length === 0 ? [all] : [all, sought]).map(({ what, parameters }) => ({
    what,
    mayMiss: true,
    ask: (stage) => ask(stage, parameters),
  }));
}

/** Others are conditions, or those of any request. */
function isSent({ name, isRequired }: HeaderParameter): boolean {
  return isRequired === true && name !== 'client_id';
}

/** A dry run does less. */
const leftOut = ['dry_run', 'nexttoken'];

/** What makes a reply long or has to be sent; and the texts that are sought, by which a reply is short. */
function parametersOf(query: Route['query']): {
  readonly needed: readonly string[];
  readonly texts: readonly string[];
} {
  const sent = Object.entries<JsonSchema>(query?.properties ?? {}).filter(([name]) => !leftOut.includes(name));
  const isNeeded = ([name, schema]: (typeof sent)[number]): boolean =>
    schema.type === 'integer' ||
    schema.type === 'boolean' ||
    (schema.default === undefined && query?.required?.includes(name) === true);
  const isText = ([, { maxLength, default: byDefault }]: (typeof sent)[number]): boolean =>
    maxLength !== undefined && byDefault === undefined;
  const written = ([name, schema]: (typeof sent)[number]): string =>
    `${name}=${encodeURIComponent(String(known[name] ?? largestValue(schema, textBytesMax)))}`;
  return {
    needed: sent.filter(isNeeded).map(written),
    texts: sent.filter((one) => !isNeeded(one) && isText(one)).map(written),
  };
}
