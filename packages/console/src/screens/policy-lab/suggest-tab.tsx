import { Box, SegmentedControl, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { usePlace } from '../../api/session.ts';
import { Loaded } from '../../components/loaded.tsx';
import { MemberSelect } from '../../components/member-select.tsx';
import { GroupSelect, PolicySelect } from './named-select.tsx';
import { type Subject, type Suggested, subjects, suggestionQuery } from './queries.ts';
import { SuggestionView } from './suggestion-view.tsx';

const texts: Readonly<Record<Subject, string>> = {
  user: 'The suggestion allows what the member did in the recorded time, and nothing else.',
  policy:
    'The suggestion takes the place of the policy: it allows what its holders did by it, denies what it denies, and keeps its report-only statements.',
  group:
    'The suggestion takes the place of the policies of the group: it allows what its members did by them, denies what they deny, and keeps their report-only statements.',
};

const names: Readonly<Record<Subject, string>> = {
  user: 'A member',
  policy: 'Who holds a policy',
  group: 'A group',
};

/** The statements that allow what was done, beside what is held now. */
export function SuggestTab({ workspace }: { readonly workspace: string }) {
  const { of = 'user', id } = useSearch({ from: '/o/$org/$env/policy-lab' });
  const navigate = useNavigate();
  const show = (change: { readonly of?: Subject; readonly id: string | undefined }) =>
    void navigate({ to: '.', search: (kept: object) => ({ ...kept, ...change }) as never });
  const field = { workspace, onChange: (chosen: string | undefined) => show({ id: chosen }) };
  return (
    <Stack gap="lg">
      <Box style={{ overflowX: 'auto' }}>
        <SegmentedControl
          aria-label="Whose use the suggestion rests on"
          data={subjects.map((one) => ({ value: one, label: names[one] }))}
          value={of}
          w="max-content"
          onChange={(chosen) => show({ of: subjects.find((one) => one === chosen) ?? 'user', id: undefined })}
        />
      </Box>
      {of === 'user' && <MemberSelect {...field} label="Member" member={id} maw={420} />}
      {of === 'policy' && <PolicySelect {...field} label="Policy" chosen={id} />}
      {of === 'group' && <GroupSelect {...field} label="Group" chosen={id} />}
      {id === undefined ? (
        <Text size="sm" c="dimmed">
          {texts[of]} Beside it is what was not used of what they hold.
        </Text>
      ) : (
        <Suggestion key={`${of} ${id}`} workspace={workspace} suggested={{ of, id }} />
      )}
    </Stack>
  );
}

function Suggestion({ workspace, suggested }: { readonly workspace: string; readonly suggested: Suggested }) {
  const { env } = usePlace();
  const suggestion = useQuery(suggestionQuery({ env, workspace }, suggested));
  return (
    <Loaded query={suggestion} skeleton={<Skeleton height={320} />}>
      {(data) => <SuggestionView workspace={workspace} suggested={suggested} suggestion={data} />}
    </Loaded>
  );
}
