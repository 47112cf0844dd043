/** When a config version is made, and for which org. */
export interface SwitchTime {
  readonly orgCode: string;
  /** The config version of the switch. */
  readonly next: number;
  readonly now: number;
}
