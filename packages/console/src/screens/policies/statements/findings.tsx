import { Badge, Group, List, Text } from '@mantine/core';
import { Sentence } from '../../../components/sentence.tsx';
import type { Finding } from '../queries.ts';

const colors = { error: 'red', warning: 'yellow', info: 'gray' } as const;

/** The verdict of the platform on a part of a policy, below it. */
export function Findings({ findings }: { readonly findings: readonly Finding[] }) {
  if (findings.length === 0) return null;
  return (
    <List size="sm" listStyleType="none" spacing={4} aria-label="Findings">
      {findings.map(({ severity, code, pointer, message }) => (
        <List.Item key={`${code} ${pointer} ${message}`}>
          <Group gap={6} wrap="nowrap" align="flex-start">
            <Badge size="sm" variant="dot" color={colors[severity]} miw="fit-content" mt={2}>
              {severity}
            </Badge>
            <Sentence text={message} />
          </Group>
        </List.Item>
      ))}
    </List>
  );
}

/** How many findings of which weight, such as “2 errors, 1 warning”. */
export function FindingCount({ findings }: { readonly findings: readonly Finding[] }) {
  const describe = (['error', 'warning', 'info'] as const)
    .map((severity) => [severity, findings.filter((finding) => finding.severity === severity).length] as const)
    .filter(([, number]) => number > 0);
  if (describe.length === 0) return null;
  return (
    <Group gap={4} wrap="nowrap">
      {describe.map(([severity, number]) => (
        <Badge key={severity} size="sm" variant="dot" color={colors[severity]}>
          {number} {severity}
          {number > 1 && severity !== 'info' ? 's' : ''}
        </Badge>
      ))}
    </Group>
  );
}

export function LintState({ isChecking, isClean }: { readonly isChecking: boolean; readonly isClean: boolean }) {
  return (
    <Text size="sm" c="dimmed" role="status">
      {isChecking ? 'Checking' : isClean ? 'Checked: nothing to remark' : ''}
    </Text>
  );
}
