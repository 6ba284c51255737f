// SPDX-License-Identifier: MIT
// <lamp-chart>: a result as bars or lines. The library is loaded when the first
// chart is shown; colours are those of the style sheet.
import { html, nothing } from '../../vendor/lit.js';
import { locale, t } from '../strings.js';
import { CHART_ROWS } from '../table.js';
import { PageElement } from './element.js';

const HEIGHT = 300;

class LampChart extends PageElement {
	static properties = {
		/** as chartOf() makes it */
		chart: { attribute: false },
		name: { type: String },
		failed: { state: true },
	};

	#drawn = null;
	#theme = new MutationObserver(() => this.#draw());

	constructor()
	{
		super();
		/** @type {import('../table.js').ChartData} */
		this.chart = undefined;
		this.name = '';
	}

	connectedCallback()
	{
		super.connectedCallback();
		this.#theme.observe(document.documentElement, { attributeFilter: ['data-theme'] });
	}

	disconnectedCallback()
	{
		super.disconnectedCallback();
		this.#theme.disconnect();
		this.#drawn?.destroy();
		this.#drawn = null;
	}

	render()
	{
		const { label, series, left } = this.chart;

		if (this.failed)
			return html`<p class="muted">${t('table.chartFailed')}</p>`;
		return html`<div class="chart"><canvas role="img" height=${HEIGHT}
			aria-label=${t('table.chart', { name: this.name, label,
				series: series.map(({ name }) => name).join(', ') })}></canvas></div>
			${left > 0 ? html`<p class="muted tool-count">${
				t('table.chartFirst', { n: CHART_ROWS })}</p>` : nothing}`;
	}

	updated(changed)
	{
		if (changed.has('chart'))
			this.#draw();
	}

	async #draw()
	{
		try {
			const { Chart } = await import('../../vendor/chart.js');

			if (!this.isConnected)
				return;
			this.#drawn?.destroy();
			this.#drawn = new Chart(this.querySelector('canvas'), this.#config());
		} catch {
			this.failed = true;
		}
	}

	/** @returns {import('../../vendor/chart.js').ChartConfiguration} */
	#config()
	{
		const style = getComputedStyle(this);
		// as a colour of its own: a variable may be one of each scheme
		const colour = (name) => {
			this.style.color = `var(${name})`;
			const { color } = style;

			this.style.color = '';
			return color;
		};
		const { kind, labels, series } = this.chart;
		const text = { color: colour('--muted'), font: { family: style.fontFamily, size: 12 } };
		const grid = { color: colour('--line') };

		return {
			type: kind,
			data: { labels, datasets: series.map(({ name, values }, i) => ({
				label: name, data: values,
				backgroundColor: colour(`--chart-${i + 1}`),
				borderColor: colour(`--chart-${i + 1}`),
				borderWidth: kind === 'line' ? 2 : 0,
				borderRadius: 3, maxBarThickness: 44, pointRadius: 2, tension: .2,
			})) },
			options: {
				animation: false, responsive: true, maintainAspectRatio: false,
				locale: locale(),
				interaction: { mode: 'index', intersect: false },
				plugins: { legend: { display: series.length > 1,
					labels: { ...text, boxWidth: 12, boxHeight: 12 } } },
				scales: {
					x: { grid: { display: false }, border: grid, ticks: text },
					y: { beginAtZero: kind === 'bar', grid, border: { display: false },
						ticks: text },
				},
			},
		};
	}
}

customElements.define('lamp-chart', LampChart);
