import {
  AuditIcon,
  CopyIcon,
  DenialIcon,
  KeyIcon,
  PolicyIcon,
  UsageIcon,
  UserIcon,
  WorkspaceIcon,
} from '../../components/icons.tsx';
import { lazyPart } from '../../components/lazy.tsx';

/** Given to each screen. */
interface OperationsScreenProps {
  /** What the address names behind the screen, such as an org; undefined for the screen itself. */
  readonly item: string | undefined;
}

const part = (load: Parameters<typeof lazyPart<OperationsScreenProps>>[0]) => lazyPart(load, null);

/** The screens below `/operations`, in the order of the navigation. The first is shown where the address names none. */
export const operationsScreens = [
  {
    path: 'orgs',
    label: 'Orgs',
    icon: WorkspaceIcon,
    Shown: part(async () => (await import('./orgs/orgs.tsx')).OperatedOrgs),
  },
  {
    path: 'accounts',
    label: 'Accounts',
    icon: UserIcon,
    Shown: part(async () => (await import('./accounts/accounts.tsx')).BuilderAccounts),
  },
  {
    path: 'health',
    label: 'Health',
    icon: UsageIcon,
    Shown: part(async () => (await import('./health/health.tsx')).NodeHealth),
  },
  {
    path: 'doctor',
    label: 'Doctor',
    icon: PolicyIcon,
    Shown: part(async () => (await import('./doctor/doctor.tsx')).Doctor),
  },
  {
    path: 'errors',
    label: 'Errors',
    icon: DenialIcon,
    Shown: part(async () => (await import('./errors/errors.tsx')).Errors),
  },
  {
    path: 'keys',
    label: 'Signing keys',
    icon: KeyIcon,
    Shown: part(async () => (await import('./keys/signing-keys.tsx')).SigningKeys),
  },
  {
    path: 'backups',
    label: 'Backups',
    icon: CopyIcon,
    Shown: part(async () => (await import('./backups/backups.tsx')).Backups),
  },
  {
    path: 'audit',
    label: 'Audit',
    icon: AuditIcon,
    Shown: part(async () => (await import('./audit/operator-audit.tsx')).OperatorAudit),
  },
] as const;
