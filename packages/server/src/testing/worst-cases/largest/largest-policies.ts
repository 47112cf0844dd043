/** The limits of one person: 500 statements with 2,500 patterns between them. */

export interface Policy {
  readonly name: string;
  readonly statements: readonly Statement[];
}

export interface Statement {
  readonly Effect: 'Allow' | 'Deny';
  readonly Action: readonly string[];
  readonly Resource: readonly string[];
  readonly Condition?: unknown;
}

const perPolicy = 45;
const policies = 10;

export function largestPolicies(): readonly Policy[] {
  return Array.from({ length: policies }, (_, policy) => ({
    name: `large${policy}`,
    statements: Array.from({ length: perPolicy }, (_, index) => statement(policy * perPolicy + index)),
  }));
}

/** Each has to be tried on each record of `note`, and on its path. */
export function statement(index: number): Statement {
  return {
    Effect: index % 4 === 0 ? 'Deny' : 'Allow',
    Action: ['*note', `?istnote${index % 2 === 0 ? '*' : ''}`],
    Resource: ['/*note*', `/*t*/*n*o*t*e${index}`],
    Condition: { StringEquals: { 'record.title': `x${index}` } },
  };
}
