import { Alert, Button, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { memberQuery } from '../../api/members.ts';
import { usePlace } from '../../api/session.ts';
import { JsonBlock } from '../../components/json-block.tsx';
import { Sentence } from '../../components/sentence.tsx';
import { counted } from '../../components/words/counted.ts';
import { groupQuery, policyQuery } from '../policies/queries.ts';
import { Basis, NothingRecorded } from './basis.tsx';
import { HeldByGroup, HeldByMember, HeldPolicy } from './held-statements.tsx';
import classes from './policy-lab.module.css';
import type { Suggested, Suggestion } from './queries.ts';
import { StatementLines } from './statement-lines.tsx';
import { keepDraft, type Principal } from './stored-draft.ts';

interface Props {
  readonly workspace: string;
  readonly suggested: Suggested;
  readonly suggestion: Suggestion;
}

/** What members hold now, with what they have not used, beside the statements that allow what they did. */
export function SuggestionView({ workspace, suggested, suggestion }: Props) {
  const { statements, unused, days, members, left_out, reports_left_out, warning } = suggestion;
  const { of, id } = suggested;
  if (suggestion.decisions === 0) return <NothingRecorded />;
  const held = { workspace, unused };
  return (
    <Stack>
      <Basis {...suggestion} />
      <Text size="sm">
        The suggestion is for {counted(members, 'member')}
        {warning === undefined && `, and rests on ${counted(days, 'day')} with calls`}. What was not done in this time
        it does not allow.
      </Text>
      {warning !== undefined && (
        <Alert color="yellow">
          <Sentence text={warning} />
        </Alert>
      )}
      {left_out > 0 && (
        <Alert color="yellow">
          {counted(left_out, 'recorded action')} did not fit into the statements of one policy, and the suggestion does
          not allow them.
        </Alert>
      )}
      {reports_left_out > 0 && (
        <Alert color="yellow">
          {counted(reports_left_out, 'report-only statement')} did not fit into one policy beside the other statements:
          the draft will not have {reports_left_out === 1 ? 'it' : 'them'}.
        </Alert>
      )}
      <div className={classes.sides}>
        <Stack component="section" aria-label="What they hold now" gap="sm">
          <Title order={2}>What they hold now</Title>
          {of === 'user' && <HeldByMember {...held} id={id} />}
          {of === 'policy' && <HeldPolicy {...held} id={id} isOpenAtFirst />}
          {of === 'group' && <HeldByGroup {...held} id={id} />}
        </Stack>
        <Stack component="section" aria-label="Suggestion" gap="sm">
          <Group justify="space-between">
            <Title order={2}>Suggestion</Title>
            <UseAsDraft workspace={workspace} suggested={suggested} statements={statements} />
          </Group>
          {statements.length === 0 ? (
            <Text size="sm">
              {of === 'user'
                ? 'No recorded call of the member was allowed, so nothing is suggested.'
                : `No recorded call was allowed by ${of === 'policy' ? 'the policy' : 'the policies of the group'}, so nothing is suggested.`}
            </Text>
          ) : (
            <>
              <StatementLines statements={statements} />
              <JsonBlock label="Suggested statements in JSON" value={statements} />
            </>
          )}
        </Stack>
      </div>
    </Stack>
  );
}

interface UseProps extends Pick<Props, 'workspace' | 'suggested'> {
  readonly statements: readonly unknown[];
}

/** Goes on with the suggestion in the editor, where a replay shows what it would change. */
function UseAsDraft({ workspace, suggested: { of, id }, statements }: UseProps) {
  const { org, env } = usePlace();
  const navigate = useNavigate();
  const where = { env, workspace };
  const member = useQuery({ ...memberQuery(where, id), enabled: of === 'user' });
  const policy = useQuery({ ...policyQuery(where, id), enabled: of === 'policy' });
  const group = useQuery({ ...groupQuery(where, id), enabled: of === 'group' });
  const name =
    policy.data?.name ?? `Used by ${member.data?.email ?? group.data?.name ?? ''}`.slice(0, nameCharactersMax);
  const principals: readonly Principal[] = member.data === undefined ? [] : [{ id, email: member.data.email }];
  const place = of === 'policy' ? id : 'new';
  const isReady = [member, policy, group].some(({ data }) => data !== undefined);
  return (
    <Button
      variant="default"
      disabled={!isReady || statements.length === 0}
      onClick={() => {
        keepDraft({ org, env, workspace, policy: place }, { draft: { name, statements }, principals });
        void navigate({
          to: '.',
          search: (kept: object) => ({ ...kept, tab: undefined, policy: place, of: undefined, id: undefined }) as never,
        });
      }}
    >
      Use as draft
    </Button>
  );
}

const nameCharactersMax = 128;
