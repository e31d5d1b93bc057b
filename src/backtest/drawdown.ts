// The furthest that a profit fell below its highest, from its beginning at nothing.

export class Drawdown {
  #highest = 0;
  #deepest = 0;

  get deepest(): number {
    return this.#deepest;
  }

  add(profit: number): void {
    this.#highest = Math.max(this.#highest, profit);
    this.#deepest = Math.max(this.#deepest, this.#highest - profit);
  }
}
