/** Writes `docs/reference.md`, the tables of all routes and refusals, from the contract. A test compares the committed page with it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { callers } from '../../packages/contract/src/access.ts';
import { type RecordRoute, recordRoutes } from '../../packages/contract/src/app/records.ts';
import { appApi } from '../../packages/contract/src/app.ts';
import { managementApi } from '../../packages/contract/src/management.ts';
import { type ProblemCode, problemStatus } from '../../packages/contract/src/problem.ts';
import { problemTitles } from '../../packages/contract/src/problem-titles.ts';
import type { Route } from '../../packages/contract/src/route.ts';
import { tags } from '../../packages/contract/src/tags.ts';

export const referencePath = 'docs/reference.md';

export function referencePage(): string {
  const parts = [
    '# Routes and refusals',
    'Every route of both gateways, and every refusal. `node tools/docs/reference.ts` makes this page from `packages/contract`.\nThe [API reference](api.md) explains the routes; `GET /openapi.json` of each gateway says all that they take and answer.',
    ...example,
    'The column *access* says who may call a route:',
    table(
      ['access', 'who'],
      Object.entries(callers).map(([access, who]) => [`\`${access}\``, who]),
    ),
    'Any other access is an action that the caller’s policies must allow.',
    '## Management gateway',
    ...routesByTag(Object.values(managementApi)),
    '## Values of production records',
    'A value of a production record is shown, or can be inferred from a reply, to `org_admin` alone\n([why](decisions/0122-who-reads-values-of-production-records.md)). Other roles, and deploy keys of the scope `publish`, get of production:',
    table(['route', 'refused (403)', 'left out of the reply'], Object.values(managementApi).flatMap(productionRows)),
    'No other route shows such a value.',
    '## App gateway',
    '### Records',
    'Every entity has these routes. The access is an action of policies, with the name of the entity behind it: `createorder`.',
    table(['route', 'access', 'what it does'], Object.values(recordRoutes).map(rowOf)),
    ...routesByTag(Object.values(appApi)),
    '## Refusals',
    'Every refusal is problem details (RFC 9457) with one of these codes, and a code has one status.',
    table(
      ['code', 'status', 'meaning'],
      Object.entries(problemTitles).map(([code, title]) => [
        `\`${code}\``,
        String(problemStatus[code as ProblemCode]),
        title,
      ]),
    ),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** A route, and a refusal. A test runs it. */
const example: readonly string[] = [
  '```sh runnable\n. examples/new-org.sh\ncurl -s $M/auth/me -H "$BUILDER"\n```',
  '```json reply\n{ "user": { "…": "…" }, "org": { "…": "…" }, "role": "org_admin", "…": "…" }\n```',
  '```sh runnable\ncurl -s $M/auth/me\n```',
  '```json reply\n{ "code": "token_missing", "status": 401, "…": "…" }\n```',
];

function routesByTag(routes: readonly Route[]): readonly string[] {
  return Object.entries(tags).flatMap(([tag, description]) => {
    const rows = routes.filter((route) => route.tag === tag).map(rowOf);
    return rows.length === 0
      ? []
      : [`### ${capital(tag)}`, description, table(['route', 'access', 'what it does'], rows)];
  });
}

function rowOf({ method, path, access, summary }: Route | RecordRoute): readonly string[] {
  return [routeText(method, path), `\`${access}\``, summary];
}

function productionRows({ method, path, production }: Route): readonly (readonly string[])[] {
  if (production === undefined) return [];
  const { refused = [], leftOut = '' } = production;
  const refusals = refused === 'always' ? 'every call' : refused.map((member) => `with \`${member}\``).join(', ');
  return [[routeText(method, path), refusals, leftOut]];
}

function routeText(method: string, path: string): string {
  return `\`${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}\``;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return [lines[0], `|${'---|'.repeat(head.length)}`, ...lines.slice(1)].join('\n');
}

if (import.meta.main) writeFileSync(join(import.meta.dirname, '../..', referencePath), referencePage());
