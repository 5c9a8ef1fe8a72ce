import { lazy, Suspense } from 'react';
import type { ChartProps } from './LineChart.tsx';

const LineChart = lazy(() => import('./LineChart.tsx'));

/** A chart of values over time. Loads its library on first use. State what matters in text beside it. */
export function Chart(props: ChartProps) {
  return (
    <Suspense fallback={<div style={{ height: 220 }} />}>
      <LineChart {...props} />
    </Suspense>
  );
}
