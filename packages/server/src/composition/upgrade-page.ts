/** The page for upgrading an org's plan: one address for the replies of both gateways, the report and alerts. */
export interface UpgradePage {
  /** @param base what has the page where no management gateway is known here: another process may have it. */
  address(base: string): string;
  /** Notes where the management gateway of this process listens. */
  listening(managementUrl: string): void;
}

interface UpgradeSettings {
  readonly upgradeUrl: string | undefined;
  readonly managementUrl: string | undefined;
}

/** The address that was set, else the page of the management gateway that says what a limit is. */
export function createUpgradePage({ upgradeUrl, managementUrl }: UpgradeSettings): UpgradePage {
  let known = managementUrl;
  return {
    address: (base) => upgradeUrl ?? `${known ?? base}/problems/plan_limit_exceeded`,
    listening: (url) => {
      // A process that listens at every address is reached at none of this name.
      known ??= url.replace(/^http:\/\/(?:0\.0\.0\.0|\[::\])(?=:)/, 'http://localhost');
    },
  };
}
