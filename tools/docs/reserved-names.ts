/** Writes `docs/reserved-names.md` from the lists that refuse the names. A test compares the committed page with it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { routeActionNames, routeActions } from '../../packages/contract/src/route-actions.ts';
import { systemEntityNames } from '../../packages/contract/src/system-entities.ts';
import { compileExpression, ExpressionLanguage } from '../../packages/server/src/expressions/compile-expression.ts';
import { isMistake, recordName } from '../../packages/server/src/expressions/grammar.ts';
import { filterVariables } from '../../packages/server/src/records/filtering/filter-language.ts';
import { platformFields } from '../../packages/server/src/schema/definition.ts';
import { reservedTokens } from '../../packages/server/src/schema/key-template.ts';
import {
  newEntityNameProblem,
  reservedFieldNameProblem,
  reservedParameters,
  sharedParameters,
} from '../../packages/server/src/schema/names.ts';
import { table } from './reference.ts';

export const reservedNamesPath = 'docs/reserved-names.md';

/** Words of CEL, and those that it keeps for other languages. The page has those that do not read a field of their name. */
const words =
  'as break const continue else false for function if import in let loop namespace null package prototype return true var void while';
export const expressionWords: readonly string[] = words.split(' ').filter((word) => !reads(word, word));

function reads(field: string, source: string): boolean {
  const read = compileExpression(source, new ExpressionLanguage(new Map([[field, 'string']])), ['string']);
  return !isMistake(read) && read.readings.some(({ name }) => name === field);
}

const isMember = (word: string): boolean => reads(word, `${recordName}.${word}`);

const builtIn = Object.getOwnPropertyNames(Object.prototype);

export function reservedNamesPage(): string {
  const parts = [
    '# Reserved names',
    'Names that no new entity or no field can have, and names that are read in another way. `node tools/docs/reserved-names.ts` makes this page\nfrom the lists that refuse them. A refusal proposes another name.',
    ...example,
    '## Entities',
    table(
      ['name', 'why no new entity can have it'],
      [
        [list(systemEntityNames), 'entities of access control'],
        ...routeActionNames.map((name) => [
          code(name),
          `with a verb an action of [routes](access.md#statements): ${routesOf(name)}`,
        ]),
        ...builtIn
          .filter((name) => /such as/.test(newEntityNameProblem(name) ?? '') && /^[a-z]+$/.test(name))
          .map((name) => [code(name), 'a built-in name of JavaScript']),
      ],
    ),
    'A stored entity with such a name is changed, promoted and restored. `freehold doctor` and\n[the lint of policies](access-explain.md#which-statements-are-traps) name it.',
    '## Fields',
    'Aliases cannot have these names either.',
    table(
      ['name', 'why no field can have it'],
      [
        [
          list(platformFields),
          'members of every record, which the platform sets. A definition may list `id` as a `guid`',
        ],
        [list(reservedParameters), 'parameters of lists'],
        ['names that end with `_op`', 'parameters of lists: the operator of a filter'],
        [list(builtIn.filter((name) => reservedFieldNameProblem(name) !== undefined)), 'built-in names of JavaScript'],
      ],
    ),
    `${list(reservedTokens)} can be fields, but not of an owner index or a \`parentIndex\`: in keys they mean the workspace.`,
    `Fields can be named ${list(sharedParameters)}. The parameters of lists that have these names are then sent with \`$\` before them, as \`$filter\`.`,
    'Fields can be words of [expressions](entities.md#expressions) and [filters](api.md#filters), which read them by the longer spelling:',
    table(
      ['name', 'where', 'spelling'],
      [
        [list(expressionWords.filter(isMember)), 'everywhere: words of CEL', `\`${recordName}.package\``],
        [
          list(expressionWords.filter((word) => !isMember(word))),
          'everywhere: words of CEL',
          `\`${recordName}["in"]\``,
        ],
        [list([...filterVariables.keys()]), 'in filters: variables', `\`${recordName}.now\``],
      ],
    ),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** A refusal. A test runs it. */
const example: readonly string[] = [
  '```sh runnable\n. examples/new-org.sh\ncurl -s -X POST $M/api/create-workspace -H "$BUILDER" -H "Content-Type: application/json" -d \'{"entityName":"workspace"}\'\n```',
  '```json reply\n{ "code": "validation_failed", "errors": [{ "pointer": "/entityName", "code": "invalid_name", "message": "…" }], "…": "…" }\n```',
];

function routesOf(name: string): string {
  return list([...new Set(routeActions.filter((one) => one.name === name).map(({ action }) => action))]);
}

function list(names: readonly string[]): string {
  return names.map(code).join(', ');
}

function code(name: string): string {
  return `\`${name}\``;
}

if (import.meta.main) writeFileSync(join(import.meta.dirname, '../..', reservedNamesPath), reservedNamesPage());
