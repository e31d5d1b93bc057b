// How long cards wait for what must come. It decides only how soon a failure is told: whatever is so at
// all is waited for however busy the machine is.

let ms = 20_000;

export function patienceMs(): number {
  return ms;
}

export function bePatientFor(durationMs: number): void {
  ms = durationMs;
}
