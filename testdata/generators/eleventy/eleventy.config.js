import { HtmlBasePlugin } from "@11ty/eleventy";

export default async function (eleventyConfig) {
	eleventyConfig.addPlugin(HtmlBasePlugin);
	eleventyConfig.addFilter("year", (date) => {
		return { year: new Date(date).getFullYear() }.year;
	});
}

export const config = {
	templateFormats: ["md", "njk", "html"], // not *.liquid
	dir: {
		input: "content",
		data: "../_data", // relative to input
		output: "_site",
	},
};
