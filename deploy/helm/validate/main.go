// Renders the chart with Helm's own engine, once for each set of values on stdin, as `helm template` would; values are held
// against values.schema.json. Prints what came of it as JSON. No cluster and no helm command is needed.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
)

type request struct {
	Name      string                 `json:"name"`
	Values    map[string]interface{} `json:"values"`
	IsUpgrade bool                   `json:"isUpgrade"`
}

type answer struct {
	Name  string            `json:"name"`
	Files map[string]string `json:"files"`
	Error string            `json:"error"`
}

func main() {
	loaded, err := loader.LoadDir(os.Args[1])
	if err == nil {
		err = loaded.Validate()
	}
	var requests []request
	if err == nil {
		err = json.NewDecoder(os.Stdin).Decode(&requests)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	answers := []answer{}
	for _, one := range requests {
		files, err := render(loaded, one)
		rendered := answer{Name: one.Name, Files: files}
		if err != nil {
			rendered.Error = err.Error()
		}
		answers = append(answers, rendered)
	}
	json.NewEncoder(os.Stdout).Encode(answers)
}

func render(loaded *chart.Chart, one request) (map[string]string, error) {
	release := chartutil.ReleaseOptions{Name: one.Name, Namespace: "hopcount", IsUpgrade: one.IsUpgrade, IsInstall: !one.IsUpgrade}
	capabilities := chartutil.DefaultCapabilities.Copy()
	capabilities.KubeVersion = chartutil.KubeVersion{Version: "v1.33.0", Major: "1", Minor: "33"}
	values, err := chartutil.ToRenderValues(loaded, one.Values, release, capabilities)
	if err != nil {
		return nil, err
	}
	return engine.Render(loaded, values)
}
