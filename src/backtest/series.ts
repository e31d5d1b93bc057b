// Points for a chart: as many as a screen can show, evenly spread however long the run is.

const POINTS_MAX = 4_000;

export class Series<Point> {
  readonly #pointsMax: number;
  #points: Point[] = [];
  #every = 1;
  #offered = 0;

  /** @param pointsMax - 0 where nobody will see them: those of a thousand markets fill the memory of a container. */
  constructor(pointsMax = POINTS_MAX) {
    this.#pointsMax = pointsMax;
  }

  /** Offers a point; it is made only where it is kept. */
  add(make: () => Point): void {
    const isKept = this.#pointsMax > 0 && this.#offered % this.#every === 0;
    this.#offered += 1;
    if (!isKept) return;
    this.#points.push(make());
    if (this.#points.length < this.#pointsMax) return;
    this.#points = this.#points.filter((_, index) => index % 2 === 0);
    this.#every *= 2;
  }

  all(): readonly Point[] {
    return this.#points;
  }
}
