/** What a command of many checks has found so far. */
export class Judge {
  #passed = 0;
  #failed = 0;

  get hasFailed(): boolean {
    return this.#failed > 0;
  }

  /** Prints what the work tells, or why it fails. */
  async judge(what: string, work: () => Promise<string>): Promise<void> {
    try {
      console.log(`ok    ${what}: ${await work()}`);
      this.#passed += 1;
    } catch (error) {
      console.log(`FAIL  ${what}: ${error instanceof Error ? error.message : String(error)}`);
      this.#failed += 1;
    }
  }

  /** Ends this process, and with it the platforms of rounds that failed. */
  end(): never {
    console.log(`\n${this.#passed} passed, ${this.#failed} failed`);
    process.exit(this.hasFailed ? 1 : 0);
  }
}
