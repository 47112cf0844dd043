import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ApiProblem } from '../../api/problem.ts';
import { usePlace } from '../../api/session.ts';
import { CopyId } from '../../components/copy-id.tsx';
import { DecisionView } from '../../components/decision/decision-view.tsx';
import { isExplained, reasonsHidden } from '../../components/decision/explained.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { When } from '../../components/when.tsx';
import { WhyDrawer } from '../simulator/why-drawer.tsx';
import classes from './decisions.module.css';
import { type Decision, decisionQuery } from './queries.ts';
import { UserLink } from './user-link.tsx';

interface Props {
  /** A decision id or a request id; undefined while none is explained. */
  readonly id: string | undefined;
  readonly onClose: () => void;
}

/** Why a call was denied. */
export function Denial({ id, onClose }: Props) {
  return (
    <WhyDrawer title="Why the call was denied" isOpen={id !== undefined} onClose={onClose}>
      {id !== undefined && <Explained key={id} id={id} />}
    </WhyDrawer>
  );
}

function Explained({ id }: { readonly id: string }) {
  const decision = useQuery(decisionQuery(id));
  if (decision.error instanceof ApiProblem && decision.error.code === 'not_found') return <Unknown id={id} />;
  return (
    <Loaded query={decision}>
      {(data) => (data === undefined ? <Unknown id={id} /> : <DenialView decision={data} />)}
    </Loaded>
  );
}

function Unknown({ id }: { readonly id: string }) {
  return (
    <EmptyState title="This denial is not known">
      There is no denial with the decision id or request id {id}. Another node may have decided, this one may have been
      restarted since, or 200 later denials have taken its place.
    </EmptyState>
  );
}

function DenialView({ decision }: { readonly decision: Decision }) {
  const { org, env: shown } = usePlace();
  const { decision_id, request_id, at, env, tenant_code, user_id, act, action, resource } = decision;
  const isInWorkspace = tenant_code !== '';
  const search = { w: tenant_code, action, resource };
  const draft = [{ Sid: 'New', Effect: 'Allow', Action: [action], Resource: [resource] }];
  return (
    <Stack>
      {isExplained(decision) ? (
        <DecisionView decision={decision} workspace={isInWorkspace && env === shown ? tenant_code : undefined} />
      ) : (
        <Text>{reasonsHidden}</Text>
      )}
      <dl className={classes.facts}>
        <dt>Call</dt>
        <dd>
          {action} on {resource}
        </dd>
        <dt>User</dt>
        <dd>
          <UserLink decision={decision} />
          {act === undefined ? '' : ', by a builder who acted in the user’s name'}
        </dd>
        <dt>When</dt>
        <dd>
          <When at={at} />
        </dd>
        <dt>Workspace</dt>
        <dd>
          {isInWorkspace ? tenant_code : 'none'}
          {env === shown ? '' : `, in ${env === 'prod' ? 'production' : 'test'}`}
        </dd>
        <dt>Decision</dt>
        <dd>
          <CopyId value={decision_id} what="decision id" />
        </dd>
        <dt>Request</dt>
        <dd>
          <CopyId value={request_id} what="request id" />
        </dd>
      </dl>
      {isInWorkspace && (
        <>
          <Group>
            <Button
              component={Link}
              to={`/o/${org}/${env}/simulator`}
              search={{ ...search, member: user_id } as never}
              variant="default"
            >
              Simulate the call
            </Button>
            <Button
              component={Link}
              to={`/o/${org}/${env}/simulator`}
              search={{ ...search, draft: JSON.stringify(draft, undefined, 2) } as never}
              variant="default"
            >
              Simulate a draft that allows it
            </Button>
          </Group>
          <Text size="sm" c="dimmed">
            A simulation uses the policies as they are now.
          </Text>
        </>
      )}
    </Stack>
  );
}
