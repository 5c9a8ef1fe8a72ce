import { lazy, Suspense } from 'react';
import type { ChartProps } from './LineChart.tsx';

const LineChart = lazy(() => import('./LineChart.tsx'));

/** A chart of values over time. Its library is loaded with the first one. Say in words beside it what matters. */
export function Chart(props: ChartProps) {
  return (
    <Suspense fallback={<div style={{ height: 220 }} />}>
      <LineChart {...props} />
    </Suspense>
  );
}
