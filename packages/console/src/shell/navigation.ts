import {
  ApiIcon,
  AuditIcon,
  BlockIcon,
  ClockIcon,
  DenialIcon,
  DeployIcon,
  EntityIcon,
  EventIcon,
  GroupIcon,
  HomeIcon,
  HookIcon,
  KeyIcon,
  LabIcon,
  PolicyIcon,
  RecordsIcon,
  RunIcon,
  SecretIcon,
  SettingsIcon,
  SimulatorIcon,
  SlidersIcon,
  TeamIcon,
  UsageIcon,
  UserIcon,
  UsersIcon,
  WorkspaceIcon,
} from '../components/icons.tsx';

/** The screens of the navigation and of the command palette by section, in their order. Home is in none. */
export const navigation = [
  { heading: undefined, screens: [{ label: 'Home', to: '/o/$org/$env', icon: HomeIcon, isExact: true }] },
  {
    heading: 'Data',
    screens: [
      { label: 'Entities', to: '/o/$org/$env/entities', icon: EntityIcon, isExact: false },
      { label: 'Records', to: '/o/$org/$env/records', icon: RecordsIcon, isExact: false },
      { label: 'API', to: '/o/$org/$env/api', icon: ApiIcon, isExact: false },
    ],
  },
  {
    heading: 'Access',
    screens: [
      { label: 'Users', to: '/o/$org/$env/users', icon: UsersIcon, isExact: false },
      { label: 'Policies', to: '/o/$org/$env/policies', icon: PolicyIcon, isExact: false },
      { label: 'Groups', to: '/o/$org/$env/groups', icon: GroupIcon, isExact: false },
      { label: 'Simulator', to: '/o/$org/$env/simulator', icon: SimulatorIcon, isExact: false },
      { label: 'Denials', to: '/o/$org/$env/decisions', icon: DenialIcon, isExact: false },
      { label: 'Policy lab', to: '/o/$org/$env/policy-lab', icon: LabIcon, isExact: false },
    ],
  },
  {
    heading: 'People',
    screens: [
      { label: 'App users', to: '/o/$org/$env/app-users', icon: UserIcon, isExact: false },
      { label: 'Workspaces', to: '/o/$org/$env/workspaces', icon: WorkspaceIcon, isExact: false },
    ],
  },
  {
    heading: 'Automation',
    screens: [
      { label: 'Events', to: '/o/$org/$env/events', icon: EventIcon, isExact: false },
      { label: 'Hooks', to: '/o/$org/$env/hooks', icon: HookIcon, isExact: false },
      { label: 'Secrets', to: '/o/$org/$env/secrets', icon: SecretIcon, isExact: false },
      { label: 'Logic blocks', to: '/o/$org/$env/logic-blocks', icon: BlockIcon, isExact: false },
      { label: 'Runs', to: '/o/$org/$env/runs', icon: RunIcon, isExact: false },
      { label: 'Schedules', to: '/o/$org/$env/schedules', icon: ClockIcon, isExact: false },
    ],
  },
  {
    heading: 'Release',
    screens: [
      { label: 'Configuration', to: '/o/$org/$env/config', icon: SlidersIcon, isExact: false },
      { label: 'Deploy', to: '/o/$org/$env/deploy', icon: DeployIcon, isExact: false },
    ],
  },
  {
    heading: 'Org',
    screens: [
      { label: 'Settings', to: '/o/$org/$env/settings', icon: SettingsIcon, isExact: false },
      { label: 'Usage', to: '/o/$org/$env/usage', icon: UsageIcon, isExact: false },
      { label: 'Audit', to: '/o/$org/$env/audit', icon: AuditIcon, isExact: false },
      { label: 'Team', to: '/o/$org/$env/team', icon: TeamIcon, isExact: false },
      { label: 'Keys', to: '/o/$org/$env/keys', icon: KeyIcon, isExact: false },
    ],
  },
] as const;
