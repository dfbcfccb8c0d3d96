// Loads docker-compose.yml with the library Docker Compose itself uses, so that a mistake in it shows
// without a Docker engine. Prints the services; exit code 1 with the loader's message if it is invalid.
package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/compose-spec/compose-go/v2/cli"
)

func main() {
	// As on a machine that has only the two required secrets: everything else must have a default.
	secrets := []string{"HOPCOUNT_SECRET=" + strings.Repeat("0", 64), "POSTGRES_PASSWORD=secret"}
	options, err := cli.NewProjectOptions(os.Args[1:], cli.WithName("hopcount"), cli.WithEnv(secrets))
	if err == nil {
		var project, loadErr = options.LoadProject(context.Background())
		if err = loadErr; err == nil {
			fmt.Println(strings.Join(project.ServiceNames(), " "))
			return
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
