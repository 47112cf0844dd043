import { Anchor, Box, Button, Group, Paper, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { memberQuery } from '../../api/members.ts';
import { usePlace } from '../../api/session.ts';
import { LineSkeletons, Loaded } from '../../components/loaded.tsx';
import { groupQuery, policyQuery } from '../policies/queries.ts';
import type { Suggestion } from './queries.ts';
import { StatementLines } from './statement-lines.tsx';

interface Props {
  readonly workspace: string;
  readonly id: string;
  readonly unused: Suggestion['unused'];
}

/** The policies of a member, and those of the groups. */
export function HeldByMember({ workspace, id, unused }: Props) {
  const { env } = usePlace();
  const member = useQuery(memberQuery({ env, workspace }, id));
  return (
    <Loaded query={member}>
      {({ policies, groups }) => (
        <>
          {policies.length + groups.length === 0 && <Text size="sm">The member holds no policies.</Text>}
          {policies.map((policy) => (
            <HeldPolicy key={policy.id} workspace={workspace} id={policy.id} name={policy.name} unused={unused} />
          ))}
          {groups.map((group) => (
            <Stack key={group.id} gap="sm">
              <Text size="sm" fw={600}>
                By the group {group.name}
              </Text>
              <HeldByGroup workspace={workspace} id={group.id} unused={unused} />
            </Stack>
          ))}
        </>
      )}
    </Loaded>
  );
}

/** The policies of a group. */
export function HeldByGroup({ workspace, id, unused }: Props) {
  const { env } = usePlace();
  const group = useQuery(groupQuery({ env, workspace }, id));
  return (
    <Loaded query={group} skeleton={<LineSkeletons lines={2} />}>
      {({ policies }) => (
        <>
          {policies.length === 0 && <Text size="sm">The group holds no policies.</Text>}
          {policies.map((policy) => (
            <HeldPolicy key={policy.id} workspace={workspace} id={policy.id} name={policy.name} unused={unused} />
          ))}
        </>
      )}
    </Loaded>
  );
}

interface PolicyProps extends Props {
  /** Left out where it is not known yet. */
  readonly name?: string;
  readonly isOpenAtFirst?: boolean;
}

/** A policy, whose statements are read once it is opened. */
export function HeldPolicy({ workspace, id, name, unused, isOpenAtFirst = false }: PolicyProps) {
  const { org, env } = usePlace();
  const [isOpen, setIsOpen] = useState(isOpenAtFirst);
  const policy = useQuery({ ...policyQuery({ env, workspace }, id), enabled: isOpen });
  const own = unused.filter(({ policy_id }) => policy_id === id);
  const known = name ?? policy.data?.name ?? '';
  return (
    <Paper withBorder p="sm">
      <Group justify="space-between">
        <Anchor component={Link} to={`/o/${org}/${env}/policies/${id}`} fw={500}>
          {known}
        </Anchor>
        <Group gap="xs">
          <Text size="xs" c="dimmed">
            {unusedOf(own)}
          </Text>
          <Button
            variant="default"
            size="compact-sm"
            aria-expanded={isOpen}
            aria-label={`Statements of ${known}`}
            onClick={() => setIsOpen(!isOpen)}
          >
            Statements
          </Button>
        </Group>
      </Group>
      {isOpen && (
        <Box mt="sm">
          <Loaded query={policy}>{({ statements }) => <StatementLines statements={statements} unused={own} />}</Loaded>
        </Box>
      )}
    </Paper>
  );
}

function unusedOf(unused: Suggestion['unused']): string {
  const whole = unused.filter((one) => one.whole).length;
  const partly = unused.length - whole;
  if (unused.length === 0) return 'all of it used';
  return [whole > 0 ? `${whole} not used` : '', partly > 0 ? `${partly} partly not used` : '']
    .filter((part) => part !== '')
    .join(', ');
}
