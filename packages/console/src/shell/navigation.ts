import {
  ApiIcon,
  AuditIcon,
  DenialIcon,
  DeployIcon,
  EntityIcon,
  GroupIcon,
  HomeIcon,
  KeyIcon,
  PolicyIcon,
  RecordsIcon,
  SimulatorIcon,
  SlidersIcon,
  TeamIcon,
  UsageIcon,
  UsersIcon,
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
      { label: 'Usage', to: '/o/$org/$env/usage', icon: UsageIcon, isExact: false },
      { label: 'Audit', to: '/o/$org/$env/audit', icon: AuditIcon, isExact: false },
      { label: 'Team', to: '/o/$org/$env/team', icon: TeamIcon, isExact: false },
      { label: 'Keys', to: '/o/$org/$env/keys', icon: KeyIcon, isExact: false },
    ],
  },
] as const;
