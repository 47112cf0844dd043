import { Anchor, Button, Group, Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { memberQuery } from '../../api/members.ts';
import { usePlace } from '../../api/session.ts';
import { ChooseWorkspace } from '../../components/choose-workspace.tsx';
import { CopyId } from '../../components/copy-id.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { HiddenValues } from '../../components/org/hidden-values.tsx';
import { ReasonedButton } from '../../components/reasoned-button.tsx';
import { Screen } from '../../components/screen.tsx';
import { useReadOnlyReason } from '../policies/use-builder.ts';
import { CellWhy } from './cell-why.tsx';
import { MemberAccess } from './member-access.tsx';
import { type Member, matrixQuery } from './queries.ts';
import { State } from './users.tsx';
import classes from './who-can.module.css';

/** A user: groups, policies, and what these allow. */
export function User() {
  const { workspace } = usePlace();
  const { user } = useParams({ from: '/o/$org/$env/users/$user' });
  if (workspace === undefined)
    return (
      <Screen title="User">
        <ChooseWorkspace>A user has access in a workspace.</ChooseWorkspace>
      </Screen>
    );
  return <UserOf key={`${workspace} ${user}`} workspace={workspace} user={user} />;
}

function UserOf({ workspace, user }: { readonly workspace: string; readonly user: string }) {
  const { env } = usePlace();
  const { cell } = useSearch({ from: '/o/$org/$env/users/$user' });
  const navigate = useNavigate();
  const member = useQuery(memberQuery({ env, workspace }, user));
  const matrix = useQuery(matrixQuery({ env, workspace }, user));
  return (
    <Screen
      title={member.data?.email ?? 'User'}
      intro={member.data?.name === '' ? undefined : member.data?.name}
      actions={member.data === undefined ? undefined : <UserActions member={member.data} workspace={workspace} />}
    >
      <HiddenValues what="the email, name, role and state of users, and what a condition decides" />
      <Loaded query={member} skeleton={<Skeleton height={48} />}>
        {(data) => <Facts member={data} workspace={workspace} />}
      </Loaded>
      {member.data !== undefined && (
        <Loaded query={matrix} skeleton={<Skeleton height={480} />}>
          {({ items: [row] }) =>
            row === undefined ? null : (
              <MemberAccess row={row} fileName={`access-${workspace}-${env}-${row.email}.csv`} />
            )
          }
        </Loaded>
      )}
      <CellWhy
        workspace={workspace}
        user={user}
        cell={cell}
        onClose={() => void navigate({ to: '.', search: (kept: object) => ({ ...kept, cell: undefined }) as never })}
      />
    </Screen>
  );
}

interface OfMember {
  readonly member: Member;
  readonly workspace: string;
}

function Facts({ member: { user_id, status, role, groups, policies }, workspace }: OfMember) {
  return (
    <div className={classes.facts}>
      <Fact name="State">
        <State status={status} />
      </Fact>
      {role !== '' && <Fact name="Role">{role}</Fact>}
      <Fact name="Groups">
        {groups.map(({ name }) => name).join(', ') || 'none'}
        <Change workspace={workspace} screen="groups" label="Add to or take out of groups" />
      </Fact>
      <Fact name="Policies held directly">
        {policies.map(({ name }) => name).join(', ') || 'none'}
        <Change workspace={workspace} screen="policies" label="Give or take away policies" />
      </Fact>
      <Fact name="User id">
        <CopyId value={user_id} what="user id" />
      </Fact>
    </div>
  );
}

interface ChangeProps {
  readonly workspace: string;
  readonly screen: 'groups' | 'policies';
  readonly label: string;
}

/** Leads to where members are given what they hold; nothing where that is not done in the console. */
function Change({ workspace, screen, label }: ChangeProps) {
  const { org, env } = usePlace();
  if (useReadOnlyReason() !== undefined) return null;
  return (
    <Anchor component={Link} to={`/o/${org}/${env}/${screen}`} search={{ w: workspace } as never} size="sm" ml="xs">
      {label}
    </Anchor>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <Text size="xs" c="dimmed">
        {name}
      </Text>
      <Text size="sm" component="div">
        {children}
      </Text>
    </div>
  );
}

/** The denials of the user, and the screens that call the app in the user's name. */
function UserActions({ member: { user_id, status, email }, workspace }: OfMember) {
  const { org, env, adminReason } = usePlace();
  const navigate = useNavigate();
  const inactive = status === 'active' ? undefined : 'The user is not active, so no call is made in the user’s name.';
  const reason = (env === 'prod' ? adminReason : undefined) ?? inactive;
  const open = (screen: 'records' | 'api') =>
    void navigate({ to: `/o/${org}/${env}/${screen}`, search: { w: workspace, u: user_id } as never });
  return (
    <Group gap="xs">
      <Button
        variant="default"
        component={Link}
        to={`/o/${org}/${env}/decisions`}
        search={{ w: workspace, user: user_id } as never}
      >
        Denials
      </Button>
      {!email.endsWith('@service.invalid') && (
        <Button variant="default" component={Link} to={`/o/${org}/${env}/app-users/${user_id}`}>
          Account
        </Button>
      )}
      <ReasonedButton variant="default" reason={reason} onClick={() => open('records')}>
        Records as this user
      </ReasonedButton>
      <ReasonedButton variant="default" reason={reason} onClick={() => open('api')}>
        API as this user
      </ReasonedButton>
    </Group>
  );
}
