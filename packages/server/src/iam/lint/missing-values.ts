import { foldAscii } from '../../access/port.ts';
import type { Finding, LintedPolicy, LintedStatement } from './linted-policy.ts';

/** Conditions of an Allow that hold where the value they are about is missing: the statement then gives more than it says. */
export function findHeldByMissing({ statements }: LintedPolicy): readonly Finding[] {
  return statements.filter(({ Effect }) => Effect === 'Allow').flatMap(findInStatement);
}

type Term = LintedStatement['terms'][number];

function findInStatement({ pointer, terms }: LintedStatement): readonly Finding[] {
  return terms.flatMap((term) => {
    const { operator, key } = term;
    if (isAlwaysThere(key) || isDemanded(terms, key)) return [];
    const at = `${pointer}/Condition/${operator}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const remedy = `say \`"Null": {"${key}": "false"}\` beside it`;
    if (operator.startsWith('ForAllValues:'))
      return [
        finding('error', 'for_all_values', at, `\`${operator}\` holds where \`${key}\` is missing or empty: ${remedy}`),
      ];
    if (!isNegated(operator)) return [];
    if (operator.endsWith('IfExists'))
      return [
        finding(
          'warning',
          'negated_if_exists',
          at,
          `\`${operator}\` means the same without \`IfExists\`: a negated operator holds where \`${key}\` is missing`,
        ),
      ];
    return [finding('warning', 'negated_missing', at, `\`${operator}\` holds where \`${key}\` is missing: ${remedy}`)];
  });
}

function finding(severity: Finding['severity'], code: string, pointer: string, message: string): Finding {
  return { severity, code, pointer, message };
}

function isNegated(operator: string): boolean {
  return /Not(?:Equals|Like|IpAddress)/.test(operator);
}

/** Every request has them. */
function isAlwaysThere(key: string): boolean {
  return /^(?:request\.(?:method|path|ip|time|pathparameters\.entity)|user\.|tenant\.)/.test(foldAscii(key));
}

/** Whether another term demands that the key is there. */
function isDemanded(terms: readonly Term[], key: string): boolean {
  return terms.some(
    (term) => term.operator === 'Null' && foldAscii(term.key) === foldAscii(key) && term.expected.join() === 'false',
  );
}
