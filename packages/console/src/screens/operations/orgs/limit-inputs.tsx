import type { LimitName } from '@freehold/contract/plans';
import { Checkbox, NumberInput, Paper, Table, Text } from '@mantine/core';
import { keepingNames, keepingWords, limitWords, type Used, usedNames } from './limits.ts';
import classes from './orgs.module.css';
import { type DraftFaults, limitsOf, type OwnLimit, type PlanDraft } from './plan-draft.ts';

interface Props {
  readonly draft: PlanDraft;
  readonly used: Used;
  readonly faults: DraftFaults | undefined;
  readonly onChange: (draft: PlanDraft) => void;
}

const rows = [
  ...usedNames.map((name) => ({ name, label: limitWords[name].label, none: 'Unlimited' })),
  ...keepingNames.map((name) => ({ name, label: keepingWords[name], none: 'Default, 7 days' })),
];

/** The limits that would be set, each with what is used of it now; those of an own plan are typed. */
export function LimitInputs({ draft, used, faults, onChange }: Props) {
  const limits = limitsOf(draft);
  const change = (name: LimitName, changed: Partial<OwnLimit>) =>
    onChange({
      ...draft,
      ownLimits: { ...draft.ownLimits, [name]: { ...draft.ownLimits[name], ...changed } },
    });
  return (
    <Paper withBorder style={{ overflowX: 'auto' }}>
      <Table aria-label="Limits that will be set" {...(draft.choice === 'own' ? { miw: 560 } : {})}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>What</Table.Th>
            <Table.Th className={classes.number ?? ''}>Used</Table.Th>
            <Table.Th className={draft.choice === 'own' ? undefined : classes.number}>Limit</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ name, label, none }) => (
            <Table.Tr key={name}>
              <Table.Td>{label}</Table.Td>
              <Table.Td className={classes.number ?? ''}>{usedOf(used, name)}</Table.Td>
              <Table.Td className={draft.choice === 'own' ? undefined : classes.number}>
                {draft.choice === 'own' ? (
                  <LimitInput
                    label={label}
                    none={none}
                    limit={draft.ownLimits[name]}
                    fault={faults?.limits[name]}
                    onChange={(changed) => change(name, changed)}
                  />
                ) : (
                  <Text size="sm" component="span">
                    {limits[name] === undefined ? none.toLowerCase() : numbers.format(limits[name])}
                  </Text>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}

const numbers = new Intl.NumberFormat('en');

function usedOf(used: Used, name: LimitName): string {
  const known: Readonly<Partial<Record<LimitName, number>>> = used;
  const value = known[name];
  return value === undefined ? '' : numbers.format(value);
}

interface InputProps {
  readonly label: string;
  /** What it is called that there is no limit. */
  readonly none: string;
  readonly limit: OwnLimit;
  readonly fault: string | undefined;
  readonly onChange: (changed: Partial<OwnLimit>) => void;
}

function LimitInput({ label, none, limit: { isUnlimited, typed }, fault, onChange }: InputProps) {
  return (
    <div className={classes.limit}>
      <NumberInput
        aria-label={label}
        value={isUnlimited ? '' : typed}
        placeholder={isUnlimited ? none : 'A number'}
        disabled={isUnlimited}
        min={0}
        allowDecimal={false}
        allowNegative={false}
        thousandSeparator=","
        error={fault}
        w={160}
        onChange={(value) => onChange({ typed: value })}
      />
      <Checkbox
        label={none}
        aria-label={`${label}: ${none}`}
        checked={isUnlimited}
        onChange={({ currentTarget: { checked } }) => onChange({ isUnlimited: checked })}
      />
    </div>
  );
}
