import 'uplot/dist/uPlot.min.css';
import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef } from 'react';
import type uPlot from 'uplot';
import { kitWords } from '../words/kit.ts';
import { writeTime } from '../words/times.ts';
import { useLanguageTag, useNumberFormat, useWords } from '../words/words.ts';
import styles from './values.module.css';

interface ChartSeries {
  label: string;
  values: readonly (number | null)[];
  tone: 'good' | 'bad' | 'busy';
}

export interface ChartProps {
  /** Describes the chart to screen readers. */
  label: string;
  timesMs: readonly number[];
  series: readonly ChartSeries[];
}

const MILLISECONDS = 1_000;
const HEIGHT_PX = 220;

/** Draws lines over time with uPlot. Redraws when the data, the theme or the width changes. */
export default function LineChart({ label, timesMs, series }: ChartProps) {
  const frame = useRef<HTMLDivElement>(null);
  const scheme = useComputedColorScheme('light');
  const tag = useLanguageTag();
  const words = useWords(kitWords);
  const write = useNumberFormat({ maximumFractionDigits: 1 });
  const plot = useRef<uPlot>(undefined);
  const data = [timesMs.map((timeMs) => timeMs / MILLISECONDS), ...series.map(({ values }) => [...values])];
  const latest = useRef(data as uPlot.AlignedData);
  latest.current = data as uPlot.AlignedData;
  const lines = JSON.stringify(series.map((line) => ({ label: line.label, tone: line.tone })));

  // biome-ignore lint/correctness/useExhaustiveDependencies: another color scheme or language draws it anew.
  useEffect(() => {
    const element = frame.current;
    if (element === null) return;
    let isGone = false;
    const watch = new ResizeObserver(() => {
      if (element.clientWidth > 0) plot.current?.setSize({ width: element.clientWidth, height: HEIGHT_PX });
    });
    void loadPlot().then((Plot) => {
      if (isGone) return;
      plot.current = new Plot(
        describe(JSON.parse(lines), words.time, element.clientWidth, write),
        latest.current,
        element,
      );
      watch.observe(element);
    });
    return () => {
      isGone = true;
      watch.disconnect();
      plot.current?.destroy();
      plot.current = undefined;
    };
  }, [scheme, tag, lines, write]);
  useEffect(() => plot.current?.setData(latest.current));

  return <div ref={frame} className={styles.chart} role="img" aria-label={label} style={{ minHeight: HEIGHT_PX }} />;
}

function describe(
  lines: { label: string; tone: string }[],
  timeLabel: string,
  width: number,
  write: (value: number) => string,
): uPlot.Options {
  const color = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  const grid = { stroke: color('mantine-color-default-border'), width: 1 };
  const axis = { stroke: color('mantine-color-dimmed'), grid, ticks: { show: false } };
  return {
    width,
    height: HEIGHT_PX,
    cursor: { drag: { x: false, y: false } },
    legend: { live: true },
    scales: { y: { range: (_, __, most) => [0, Math.max(1, most * 1.1)] } },
    axes: [
      { ...axis, space: 70, values: '{HH}:{mm}' },
      { ...axis, size: 60, values: (_, splits) => splits.map((split) => write(split)) },
    ],
    series: [
      { label: timeLabel, value: (_, seconds) => (seconds === null ? '' : writeTime(seconds * MILLISECONDS, 'local')) },
      ...lines.map(({ label, tone }) => ({
        label,
        stroke: color(`ls-line-${tone}`),
        width: 2,
        dash: tone === 'bad' ? [6, 4] : [],
        points: { show: false },
        // The pointer is outside the chart.
        value: (_: uPlot, value: number | null) => (value === null ? '' : write(value)),
      })),
    ],
  };
}

/**
 * Loads uPlot. On import it passes the browser's language to Intl, which throws if that is a POSIX name such as `en-
 * US@posix`.
 */
async function loadPlot() {
  const shadowed = isKnownToIntl(navigator.language) ? undefined : shadowLanguage();
  try {
    return (await import('uplot')).default;
  } finally {
    shadowed?.();
  }
}

function isKnownToIntl(language: string): boolean {
  try {
    new Intl.NumberFormat(language);
    return true;
  } catch {
    return false;
  }
}

/** Reports English as the browser's language while uPlot is imported. Returns a function that restores it. */
function shadowLanguage(): () => void {
  Object.defineProperty(navigator, 'language', { value: 'en', configurable: true });
  return () => {
    // Uncovers the browser's own property.
    Reflect.deleteProperty(navigator, 'language');
  };
}
