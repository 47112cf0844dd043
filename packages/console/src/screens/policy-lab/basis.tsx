import { Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { usePlace } from '../../api/session.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { counted } from '../../components/words/counted.ts';
import type { Replayed } from './queries.ts';

type BasisProps = Pick<Replayed, 'since' | 'decisions' | 'stands_for' | 'not_recorded' | 'truncated'>;

/** On how much a reply rests, and what it does not know. */
export function Basis({ since, decisions, stands_for, not_recorded, truncated }: BasisProps) {
  return (
    <Text size="sm" c="dimmed">
      This rests on {counted(decisions, 'recorded decision')} since {since.slice(0, 10)}, which represent{' '}
      {counted(stands_for, 'call')}: calls of a day that are alike are recorded once, with their number and a few of
      them as samples.
      {truncated && ' There are more recorded decisions: the latest were looked at.'}
      {not_recorded > 0 &&
        ` In this time ${counted(not_recorded, 'call')} of the org found no room in the record, and nothing is said of them.`}
    </Text>
  );
}

/** Nothing is recorded yet, and how that begins. */
export function NothingRecorded() {
  const { org, env, workspace } = usePlace();
  return (
    <EmptyState
      title="No calls are recorded yet"
      action={
        <Anchor component={Link} to={`/o/${org}/${env}/api`} search={{ w: workspace } as never}>
          See the calls of the API
        </Anchor>
      }
    >
      Recording begins with the calls that users of the app make in this workspace; calls of builders in their name are
      not recorded. To make some, sign in to your app as a user and use it, or run calls of the API with the token of
      that user. They are here within a minute, unless the setting acl.record_decisions is off.
    </EmptyState>
  );
}
