// Loads docker-compose.yml with the library Docker Compose itself uses, once for each of its profiles, so that a mistake in it
// shows without a Docker engine. Prints each profile's services; exit code 1 with the loader's message if it is invalid.
package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/dotenv"
	"github.com/compose-spec/compose-go/v2/types"
)

func main() {
	if err := check(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// check takes the compose file and the settings of the profile `replicated`.
func check(file, replicated string) error {
	whole, err := load(file, []string{"*"}, nil)
	if err != nil {
		return err
	}
	profiles := []string{}
	for _, service := range whole.Services {
		profiles = append(profiles, service.Profiles...)
	}
	slices.Sort(profiles)
	for _, profile := range slices.Compact(profiles) {
		settings := []string{}
		if profile == "replicated" {
			given, err := dotenv.GetEnvFromFile(map[string]string{"POSTGRES_APP_PASSWORD": "secret", "REDIS_PASSWORD": "secret"}, []string{replicated})
			if err != nil {
				return err
			}
			for name, value := range given {
				settings = append(settings, name+"="+value)
			}
		}
		project, err := load(file, []string{profile}, settings)
		if err != nil {
			return fmt.Errorf("profile %s: %w", profile, err)
		}
		fmt.Printf("%s: %s\n", profile, strings.Join(project.ServiceNames(), " "))
	}
	return nil
}

func load(file string, profiles, settings []string) (*types.Project, error) {
	// As on a machine that has only the required secrets: everything else must have a default.
	secrets := []string{"HOPCOUNT_SECRET=" + strings.Repeat("0", 64)}
	for _, name := range []string{"POSTGRES_PASSWORD", "POSTGRES_APP_PASSWORD", "REDIS_PASSWORD"} {
		secrets = append(secrets, name+"=secret")
	}
	options, err := cli.NewProjectOptions([]string{file}, cli.WithName("hopcount"), cli.WithEnv(append(secrets, settings...)), cli.WithDefaultProfiles(profiles...))
	if err != nil {
		return nil, err
	}
	return options.LoadProject(context.Background())
}
