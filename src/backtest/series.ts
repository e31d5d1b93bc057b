// Points for a chart: as many as a screen can show, evenly spread however long the run is.

const POINTS_MAX = 4_000;

export class Series<Point> {
  #points: Point[] = [];
  #every = 1;
  #offered = 0;

  /** Offers a point; it is made only where it is kept. */
  add(make: () => Point): void {
    const isKept = this.#offered % this.#every === 0;
    this.#offered += 1;
    if (!isKept) return;
    this.#points.push(make());
    if (this.#points.length < POINTS_MAX) return;
    this.#points = this.#points.filter((_, index) => index % 2 === 0);
    this.#every *= 2;
  }

  all(): readonly Point[] {
    return this.#points;
  }
}
