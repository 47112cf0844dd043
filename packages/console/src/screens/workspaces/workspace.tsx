import { Alert, Badge, Button, Group, Skeleton, Tabs, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { usePlace } from '../../api/session.ts';
import { CopyId } from '../../components/copy-id.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Screen } from '../../components/screen.tsx';
import { When } from '../../components/when.tsx';
import { Contents } from './contents.tsx';
import { Invitations } from './invitations.tsx';
import { Members } from './members.tsx';
import { type Workspace, workspaceQuery } from './queries.ts';
import { ResumeWorkspace, SuspendWorkspace } from './suspend-workspace.tsx';
import { SuspendedBadge } from './suspended-badge.tsx';

const tabs = ['contents', 'members', 'invitations'] as const;

/** One workspace: what it holds, its members, and who is invited. */
export function WorkspaceScreen() {
  const { workspace: code } = useParams({ from: '/o/$org/$env/workspaces/$workspace' });
  return <WorkspaceOf key={code} code={code} />;
}

function WorkspaceOf({ code }: { readonly code: string }) {
  const { env } = usePlace();
  const { tab } = useSearch({ from: '/o/$org/$env/workspaces/$workspace' });
  const navigate = useNavigate();
  const workspace = useQuery(workspaceQuery({ env, workspace: code }));
  const shown = tabs.find((name) => name === tab) ?? 'contents';
  return (
    <Screen
      title={workspace.data?.name ?? 'Workspace'}
      intro={workspace.data && <Facts workspace={workspace.data} />}
      actions={workspace.data && <Actions workspace={workspace.data} />}
    >
      <Loaded query={workspace} skeleton={<Skeleton height={420} />}>
        {(data) => (
          <>
            <Suspension workspace={data} />
            <Tabs
              value={shown}
              keepMounted={false}
              onChange={(chosen) =>
                void navigate({
                  to: '.',
                  search: (kept: object) =>
                    ({
                      ...kept,
                      q: undefined,
                      tab: chosen === 'contents' ? undefined : (chosen ?? undefined),
                    }) as never,
                })
              }
            >
              <Tabs.List mb="md">
                <Tabs.Tab value="contents">Contents and usage</Tabs.Tab>
                <Tabs.Tab value="members">Members</Tabs.Tab>
                <Tabs.Tab value="invitations">Invitations</Tabs.Tab>
              </Tabs.List>
              <Tabs.Panel value="contents">
                <Contents workspace={data} />
              </Tabs.Panel>
              <Tabs.Panel value="members">
                <Members code={code} />
              </Tabs.Panel>
              <Tabs.Panel value="invitations">
                <Invitations workspace={data} />
              </Tabs.Panel>
            </Tabs>
          </>
        )}
      </Loaded>
    </Screen>
  );
}

function Facts({ workspace: { id, code, state, suspended, created_at } }: { readonly workspace: Workspace }) {
  return (
    <Group gap="xs" component="span">
      <code>{code}</code>
      {state === 'founding' && <Badge variant="dot">being founded: it admits no caller yet</Badge>}
      {suspended !== null && <SuspendedBadge />}
      <span>
        created <When at={created_at} />
      </span>
      <CopyId value={id} what="workspace id" />
    </Group>
  );
}

/** Why the members are barred. */
function Suspension({ workspace: { suspended } }: { readonly workspace: Workspace }) {
  if (suspended === null) return null;
  return (
    <Alert color="red" role="note" title="The workspace is suspended" mb="md">
      <Text size="sm">
        An admin of the org suspended it <When at={suspended.at} />. Reason: {suspended.reason}
      </Text>
    </Alert>
  );
}

function Actions({ workspace }: { readonly workspace: Workspace }) {
  return (
    <>
      <OpenIn code={workspace.code} />
      {workspace.suspended === null ? (
        <SuspendWorkspace workspace={workspace} />
      ) : (
        <ResumeWorkspace workspace={workspace} />
      )}
    </>
  );
}

/** The screens that show what lies in the workspace. */
function OpenIn({ code }: { readonly code: string }) {
  const { org, env } = usePlace();
  const link = (screen: string) => ({ to: `/o/${org}/${env}/${screen}`, search: { w: code } as never });
  return (
    <>
      <Button variant="default" component={Link} {...link('records')}>
        Records
      </Button>
      <Button variant="default" component={Link} {...link('policies')}>
        Policies
      </Button>
      <Button variant="default" component={Link} {...link('groups')}>
        Groups
      </Button>
    </>
  );
}
